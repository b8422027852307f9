# Writes SOURCE: uPlot's script behind its licence.
file(READ ${UPLOT}/LICENSE licence)
file(READ ${UPLOT}/dist/uPlot.iife.min.js script)
string(REGEX REPLACE "^/\\*![^\n]*\\*/\n" "" script "${script}")
file(WRITE ${SOURCE} "/* uPlot\n${licence}\n*/\n${script}\n")
