"""Repeat Tables 1 and 2 of the H paper (Palotti, Zuccon & Hanbury, CIKM 2018) as far as can be.

The text of the paper could not be had, only what its simulation was, and that its Table 2 for
2016 is asymmetric in print (.456 against .524).

    python -m scripts.reproduce.h_framework [--data ../shared/data]
"""

from __future__ import annotations

from scripts.reproduce.tables import NOT_TO_BE_HAD, Row, clef_folder, evaluated, print_rows, runs_of

from understandability.evaluation.scales import parse_scale
from understandability.evaluation.simulation import simulate
from understandability.evaluation.statistics.correlation import correlation_matrix

MEASURES = ("RBP(p=0.8)@10", "uRBP(p=0.8)@10", "HRBP(p=0.8,wr=1,wu=1)@10")


def table_1() -> None:
    rows = [
        Row(
            f"T={cell.topicality:g}, μ={cell.mean_label:g}: {cell.measure}",
            NOT_TO_BE_HAD,
            cell.mean,
            f"± {cell.standard_deviation:.3f}",
        )
        for cell in simulate()
    ]
    print_rows("H paper, Table 1: synthetic systems (seed 0)", rows, digits=3)


def main() -> None:
    folder = clef_folder(__doc__.partition("\n")[0])
    table_1()
    rows: list[Row] = []
    for year, runs, task, scale, why in (
        ("2015", "clef2015/runs", "", "higher-easier:2:0..3", "68 of the 110 runs can be had"),
        ("2016", "clef2016/runs_t2", "task2.", "lower-easier:<=40:0..100", "46 runs of task 2"),
    ):
        home = folder / f"clef{year}"
        result = evaluated(
            home, runs_of(folder / runs), MEASURES, {"u": parse_scale(scale)}, task=task
        )
        columns = [result.column(measure) for measure in result.measures]
        matrix = correlation_matrix(columns, "tau_ap")
        for i, row in enumerate(result.measures):
            for j, column in enumerate(result.measures):
                if i != j:
                    what = f"{year}: τ_AP of {column}, reference {row}"
                    rows.append(Row(what, NOT_TO_BE_HAD, float(matrix[i, j]), why))
    print_rows("H paper, Table 2: correlations of system rankings", rows)
    print(
        "\nIn print the 2016 half is not symmetric (.456 against .524). Yilmaz's τ_AP is not "
        "symmetric either, as the pairs of rows above show; which measures the two numbers are "
        "of, and of which runs, could not be had, so that no difference is given."
    )


if __name__ == "__main__":
    main()
