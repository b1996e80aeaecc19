#include "commands/command_line.hpp"

int main(int argc, char** argv)
{
  return tally::cli::run_command_line({argv + 1, argv + argc});
}
