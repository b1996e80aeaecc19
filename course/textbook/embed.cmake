# cmake -DFOLDER=... -DHEADERS=a.hpp;b/c.hpp -DOUTPUT=... -P embed.cmake: writes a table of headers and their text.
set(table "")
foreach(header IN LISTS HEADERS)
  file(READ "${FOLDER}/${header}" text)
  string(APPEND table "    {\"${header}\", R\"embedded(${text})embedded\"},\n")
endforeach()
file(WRITE "${OUTPUT}" "#include \"textbook/sources.hpp\"

namespace tally::textbook {

std::span<source const> sources()
{
  static constexpr source all[] = {
${table}  };
  return all;
}

}  // namespace tally::textbook
")
