"""Tools for people who write: reports, charts, plainer terms and an editor. Outside the core.

The input is documents and their estimates. The output is HTML, SVG, files, and the same content as
data. `serve` is the editor and the HTTP API; `office` reads the file formats of word processors.
"""
