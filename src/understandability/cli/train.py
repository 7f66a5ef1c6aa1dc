"""`understand train`: own models from background corpora or from labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from understandability.cli.options import LimitMb, Quiet, names_of
from understandability.cli.outputs import named

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from understandability.arrays import Floats
    from understandability.models.bundle import Bundle as TrainedBundle
    from understandability.models.training.judged import OutOfFold
    from understandability.models.training.labelled import LabelledTexts
    from understandability.records import Document, Failure, Page

app = typer.Typer(help="Train a model, and write it as a bundle.", no_args_is_help=True)

Bundle = Annotated[
    str, typer.Option("-o", "--output", metavar="FOLDER", help="Where to write the bundle.")
]
_ESTIMATORS = names_of("models.estimators", "ESTIMATORS")
Licence = Annotated[str, typer.Option(help="Who may use the model.")]
RandomState = Annotated[int, typer.Option(min=0, help="The same number gives the same bundle.")]


@app.command("background")
def background(
    output: Bundle,
    corpus: Annotated[
        list[str],
        typer.Option(
            metavar="LABEL=INPUT",
            help="A corpus and its label, a number; harder is higher. Once for each input.",
        ),
    ],
    estimator: Annotated[
        str, typer.Option(autocompletion=_ESTIMATORS, help="One of the twelve estimators.")
    ] = "mlp-regressor",
    dimensions: Annotated[int, typer.Option(min=1, help="Dimensions of the LSA space.")] = 10,
    vocabulary: Annotated[int, typer.Option(min=100, help="Words of the model.")] = 30_000,
    licence: Licence = "that of its training corpora",
    random_state: RandomState = 0,
    limit_mb: LimitMb = 10.0,
    quiet: Quiet = False,
) -> None:
    """Train on labelled corpora: which of them is a text like?

    Example: understand train background --corpus 1=reddit.jsonl.gz --corpus 2=wiki.jsonl.gz
    --corpus 3=pubmed.jsonl.gz --estimator mlp-regressor --dimensions 10 -o my-bundle
    """
    from pathlib import Path

    from understandability.errors import OptionError
    from understandability.formats.sources import Sources
    from understandability.models.estimators import estimator_row
    from understandability.models.runtime.arrays import MOST
    from understandability.models.training.background import train_background
    from understandability.storage.bundle_files import check_place

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
def judged(
    output: Bundle,
    labels: Annotated[
        list[str],
        typer.Option(
            metavar="FILE[:FIELD][:harder|easier][:rank|cefr|difficulty]",
            help="Texts with a label: JSON Lines of id, text or html, the label, group. The "
            "scale says how labels become difficulty: by rank within the file, by CEFR level "
            "1 to 6, or as they are, 0 to 100.",
        ),
    ],
    estimator: Annotated[
        str,
        typer.Option(autocompletion=_ESTIMATORS, help="A regressor or classifier over features."),
    ] = "xgboost-regressor",
    features: Annotated[
        str | None,
        typer.Option(metavar="TABLE", help="Features made before, joined by docno."),
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
    folds: Annotated[int, typer.Option(min=2, help="Folds, by group.")] = 10,
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
    """Train on human labels of texts, several files with different scales at once.

    Example: understand train judged --labels readme.jsonl.gz:rating:harder:cefr
    --labels clear.jsonl.gz:rating:easier -o my-bundle
    """
    from pathlib import Path

    import numpy as np

    from understandability.features import compute_features
    from understandability.features.rows.background import by_row
    from understandability.models.bundle import load_background_models
    from understandability.models.training.judged import (
        judged_estimator,
        text_columns,
        train_judged,
    )
    from understandability.models.training.labelled import LabelSource, all_documents, read_labelled
    from understandability.storage.bundle_files import check_place

    judged_estimator(estimator)
    check_place(output)
    models = load_background_models(backgrounds or ())
    sources = [LabelSource.parse(each) for each in labels]
    sets = tuple(read_labelled(source, with_text=features is None) for source in sources)
    docnos = [docno for each in sets for docno in each.docnos]
    if features is None:
        columns = (*text_columns(), *by_row(models))
        total = sum(len(each.documents) for each in sets)
        documents = _shown(all_documents(sets), quiet, total)
        inputs = compute_features(documents, columns, models).values
    else:
        columns, inputs = _table(features, docnos)
    difficulties = np.concatenate([each.difficulties for each in sets])
    bundle, estimates = train_judged(
        inputs,
        columns,
        difficulties,
        [group for each in sets for group in each.groups],
        estimator,
        backgrounds=models,
        folds=folds,
        random_state=random_state,
        name=Path(output).name,
        licence=licence,
        card={
            "summary": f"{estimator} on {len(columns)} features, trained on judged texts.",
            "training": [
                {
                    "name": each.source.name,
                    "records": int(np.isfinite(each.labels).sum()),
                    "scale": each.source.scale,
                    "direction": each.source.direction,
                }
                for each in sets
            ],
        },
    )
    bundle.save(output)
    if out_of_fold:
        _write_estimates(out_of_fold, bundle, estimates, inputs, docnos, sets)
    if not quiet:
        for each in sets:
            for reason, docnos in each.unusable.items():
                typer.echo(f"{each.source.path}: {named(f'left out, {reason}', docnos)}", err=True)
        typer.echo(f"{output}: understand validate {output} {sources[0].path}", err=True)


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


def _table(path: str, docnos: list[str]) -> tuple[tuple[str, ...], Floats]:
    import numpy as np

    from understandability.errors import InputError
    from understandability.features import COLUMNS
    from understandability.storage.tables import read_table

    table = read_table(path)
    columns = tuple(name for name in table.column_names if name in COLUMNS)
    if "docno" not in table.column_names or not columns:
        raise InputError(f"{path} has no docno and columns of the feature catalogue")
    rows = {docno: row for row, docno in enumerate(table["docno"].to_pylist())}
    if missing := [docno for docno in docnos if docno not in rows]:
        raise InputError(f"{path} lacks {len(missing)} labelled docnos, such as {missing[0]!r}")
    values = np.column_stack(
        [table[name].to_numpy(zero_copy_only=False).astype(float) for name in columns]
    )
    return columns, np.asarray(values[[rows[docno] for docno in docnos]], np.float64)


def _write_estimates(
    destination: str,
    bundle: TrainedBundle,
    estimates: OutOfFold,
    inputs: Floats,
    docnos: list[str],
    sets: tuple[LabelledTexts, ...],
) -> None:
    import numpy as np
    import pyarrow as pa

    from understandability.models.calibration import SHORT
    from understandability.models.runtime.judged import JudgedModel
    from understandability.storage.tables import write_table

    assert isinstance(bundle.model, JudgedModel)
    raw = bundle.model.predict(inputs)
    whole = bundle.calibration.apply(raw, np.full(len(raw), SHORT))[0]
    known = estimates.fold >= 0
    table = pa.table(
        {
            "docno": docnos,
            "set": [each.source.name for each in sets for _ in each.docnos],
            "label": np.concatenate([each.labels for each in sets]),
            "fold": estimates.fold,
            "difficulty": np.where(known, estimates.difficulty, whole),
        }
    )
    write_table(table, destination)
