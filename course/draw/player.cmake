# embed_player(OUTPUT): OUTPUT is the source that holds the page that plays a run (page.html), with its style and scripts in
# one string. The scripts are in the order in which the browser reads them.
function(embed_player output)
  set(folder ${CMAKE_CURRENT_FUNCTION_LIST_DIR})
  set(scripts dom.js run.js data_flow.js counts.js words.js circuit_places.js circuit.js arrays.js source.js counters.js banks.js
    warps.js findings.js main.js)
  list(TRANSFORM scripts PREPEND ${folder}/player/ OUTPUT_VARIABLE paths)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DFOLDER=${folder} "-DSCRIPTS=${scripts}" -DOUTPUT=${output} -P ${folder}/page.cmake
    DEPENDS ${paths} ${folder}/player/style.css ${folder}/page.html ${folder}/page.cmake VERBATIM
    COMMENT "Embedding the page that plays a run")
endfunction()
