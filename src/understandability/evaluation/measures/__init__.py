"""The measures: their tables, the parser of their names, and their arithmetic.

The input is names of measures, and labels joined with runs. The output is one value per query.
"""
