"""`understand train`: own models from background corpora or from labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from understandability.cli.groups import with_groups
from understandability.cli.labels import LabelOptions, show_validation
from understandability.cli.options import LimitMb, Quiet, names_in, names_of
from understandability.cli.tables import print_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from understandability.text.document import Document
    from understandability.text.page import Failure, Page

app = typer.Typer(help="Train a model, and write it as a bundle.", no_args_is_help=True)

Bundle = Annotated[
    str, typer.Option("-o", "--output", metavar="FOLDER", help="Folder of the new bundle.")
]
_ESTIMATORS = names_of("model.estimators", "ESTIMATORS")
Licence = Annotated[str, typer.Option(help="Licence of the model.")]
RandomState = Annotated[
    int, typer.Option(min=0, help="Seed; the same number gives the same bundle.")
]


@app.command("background")
def background(
    output: Bundle,
    corpus: Annotated[
        list[str],
        typer.Option(
            metavar="LABEL=INPUT",
            help="A corpus and its label, a number (higher is harder). Give it once for each "
            "input.",
        ),
    ],
    estimator: Annotated[
        str, typer.Option(autocompletion=_ESTIMATORS, help="One of the twelve estimators.")
    ] = "mlp-regressor",
    dimensions: Annotated[int, typer.Option(min=1, help="Dimensions of the LSA space.")] = 10,
    vocabulary: Annotated[
        int, typer.Option(min=100, help="How many words the model knows.")
    ] = 30_000,
    licence: Licence = "that of its training corpora",
    random_state: RandomState = 0,
    limit_mb: LimitMb = 10.0,
    quiet: Quiet = False,
) -> None:
    """Train on labelled corpora, to say which of them a text is like.

    Example: understand train background --corpus 1=reddit.jsonl.gz --corpus 2=wiki.jsonl.gz
    --corpus 3=pubmed.jsonl.gz --estimator mlp-regressor --dimensions 10 -o my-bundle
    """
    from pathlib import Path

    from understandability.errors import OptionError
    from understandability.inputs.sources import Sources
    from understandability.model.arrays import MOST
    from understandability.model.bundle_files import check_place
    from understandability.model.estimators import estimator_row
    from understandability.training.background_training import train_background

    estimator_row(estimator)
    check_place(output)
    inputs: dict[float, list[str]] = {}
    for each in corpus:
        label, equals, path = each.partition("=")
        try:
            inputs.setdefault(float(label), []).append(path)
        except ValueError:
            equals = ""
        if not equals or not path or not abs(float(label)) <= MOST:
            raise OptionError(f"--corpus is LABEL=INPUT, such as 1=posts.jsonl.gz, not {each!r}")
    limit = int(limit_mb * 1e6)
    corpora = {label: Sources(paths, limit=limit) for label, paths in inputs.items()}
    bundle = train_background(
        {label: _shown(_documents(pages), quiet) for label, pages in corpora.items()},
        estimator,
        dimensions=dimensions,
        vocabulary_size=vocabulary,
        random_state=random_state,
        name=Path(output).name,
        licence=licence,
    )
    bundle.save(output)
    if not quiet:
        typer.echo(f"{output}: understand bundle show {output}", err=True)


@app.command("judged")
@with_groups
def judged(
    output: Bundle,
    labels: Annotated[
        list[str],
        typer.Option(
            metavar="FILE[:COLUMN][:harder|easier][:rank|range|cefr|difficulty]",
            help="Texts with a label: a table (JSON Lines, CSV, TSV, Parquet). The scale says how "
            "labels become difficulty: by rank within the file, by range (the lowest 0, the "
            "highest 100), by CEFR level 1 to 6, or as they are, 0 to 100. May be repeated.",
        ),
    ],
    *,
    columns: LabelOptions,
    estimator: Annotated[
        str,
        typer.Option(autocompletion=_ESTIMATORS, help="A regressor or classifier over features."),
    ] = "xgboost-regressor",
    features: Annotated[
        str,
        typer.Option(
            metavar="NAME,...",
            help="Sets (text, study2018: Table 2 of the study of 2019), groups (readability, "
            "components, html, ...) and features.",
        ),
    ] = "text",
    table: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Use the features in this table instead, joined by docno."
        ),
    ] = None,
    backgrounds: Annotated[
        list[str] | None,
        typer.Option(
            "--bundle",
            metavar="BUNDLE",
            help="A background model, whose output becomes a feature. May be repeated.",
            show_default=False,
        ),
    ] = None,
    folds: Annotated[int, typer.Option(min=2, help="Folds; groups stay together.")] = 10,
    learning_curve: Annotated[
        bool,
        typer.Option(
            "--learning-curve",
            help="Also learn from 1/8, 1/4 and 1/2 of the labels, to see whether more would help.",
        ),
    ] = False,
    out_of_fold: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Write the estimates: judged texts out of fold, the others by the whole model.",
        ),
    ] = None,
    licence: Licence = "that of its labels",
    random_state: RandomState = 0,
    quiet: Quiet = False,
) -> None:
    """Train on people's labels of texts; files with different scales may be combined.

    Shows how well held-out texts are estimated (out of fold, by group), compared with the eight
    formulas, the corpus ratio and the default bundle. The bundle's card keeps these figures.

    Example: understand train judged --labels ratings.csv --label-column rating
    --direction higher-harder --group-column site -o my-bundle
    """
    from pathlib import Path

    from understandability.api.training import train
    from understandability.inputs.tables import write_table
    from understandability.model.bundle_files import check_place

    check_place(output)
    trained = train(
        labels,
        **columns.chosen,
        features=names_in(features),
        table=table,
        backgrounds=backgrounds or (),
        estimator=estimator,
        folds=folds,
        curve=learning_curve,
        name=Path(output).name,
        licence=licence,
        random_state=random_state,
    )
    trained.save(output)
    if out_of_fold:
        write_table(trained.estimates, out_of_fold)
    if quiet:
        return
    for each in trained.figures.sets:
        show_validation(each, f"{folds} folds by group")
    if trained.curve:
        typer.echo("\nlearning curve, out of fold")
        print_table(
            ("share", "texts", "Spearman"),
            [
                (f"{p.share:g}", str(p.texts), f"{p.spearman:.3f} [{p.low:.3f}, {p.high:.3f}]")
                for p in trained.curve
            ],
            texts=0,
        )
    for remark in trained.remarks:
        typer.echo(remark, err=True)
    first = trained.bundle.card["training"][0]
    typer.echo(
        f"{output} is written; the figures above are of held-out texts. For texts from elsewhere: "
        f"understand validate {output} OTHER_FILE --label-column {first['label']} "
        f"--direction {first['direction']}",
        err=True,
    )


def _documents(pages: Iterable[Page | Failure]) -> Iterator[Document]:
    """The documents of pages; what cannot be read is left out."""
    from understandability.scoring import Settings, documents_of

    return documents_of(pages, Settings())


def _shown(
    documents: Iterable[Document], quiet: bool, total: int | None = None
) -> Iterator[Document]:
    """The documents, with progress and the time left on a terminal."""
    import sys

    if quiet or not sys.stderr.isatty():
        yield from documents
        return
    from rich.console import Console
    from rich.progress import track

    yield from track(documents, "texts", total, console=Console(stderr=True), transient=True)
