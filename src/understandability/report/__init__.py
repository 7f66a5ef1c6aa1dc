"""Something to look at.

In: documents and their estimates. Out: reports, charts, and the same as data.

explanation = explain(document, scorer)
page_report([explanation])      # one HTML file
explanation.to_json()           # the same as data
"""

from understandability.report.comparison import PageComparison, compare
from understandability.report.crawl_report import crawl_report
from understandability.report.explanation import Explanation, explain
from understandability.report.page_report import page_report

__all__ = ["Explanation", "PageComparison", "compare", "crawl_report", "explain", "page_report"]
