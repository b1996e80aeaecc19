# cmake -DFOLDER=... -DSCRIPTS=a.js;b.js -DOUTPUT=... -P page.cmake: the page's template with its style and scripts in place,
# as a string.
cmake_minimum_required(VERSION 3.25)
file(READ "${FOLDER}/page.html" page)
file(READ "${FOLDER}/player/style.css" style)
set(script "")
foreach(name IN LISTS SCRIPTS)
  file(READ "${FOLDER}/player/${name}" text)
  string(APPEND script "${text}\n")
endforeach()
string(REPLACE "@style@" "${style}" page "${page}")
string(REPLACE "@script@" "${script}" page "${page}")
file(WRITE "${OUTPUT}" "#include \"draw/html.hpp\"

namespace tally::draw {

std::string_view page_template()
{
  return R\"page_template(${page})page_template\";
}

}  // namespace tally::draw
")
