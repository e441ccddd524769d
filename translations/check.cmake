# Fails when a text of the sources has no finished translation in TS_FILE.
#   cmake -DLUPDATE=... -DROOT=... -DTS_FILE=... -DCOPY=... -P check.cmake
file(COPY_FILE ${TS_FILE} ${COPY})
execute_process(
  COMMAND ${LUPDATE} -silent -locations none -no-obsolete -I ${ROOT} ${ROOT}/widgets ${ROOT}/app/workbench -ts ${COPY}
  RESULT_VARIABLE status ERROR_VARIABLE errors)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "lupdate: ${errors}")
endif()
file(READ ${COPY} text)
string(REPLACE ";" "," text "${text}")
string(REGEX MATCHALL "<source>[^<]*</source>[ \n]*<translation type=\"unfinished\"" untranslated "${text}")
if(untranslated)
  list(LENGTH untranslated count)
  list(JOIN untranslated "\n  " shown)
  string(REGEX REPLACE "</?source>|[ \n]*<translation type=\"unfinished\"" "" shown "${shown}")
  message(FATAL_ERROR "${count} texts are not translated in ${TS_FILE}:\n  ${shown}")
endif()
