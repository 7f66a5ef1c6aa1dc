"""Measure sentence boundaries, tokens, tags and syllables on held-out data, compared with NLTK.

Sentences and tags are evaluated on the dev part of UD English EWT; NLTK's tagger is also retrained
on the same training part. Syllables are evaluated on a tenth of the words of the CMU dictionary.
NLTK's data are in the data folder.
"""

from collections.abc import Callable, Iterable

import nltk.data
import numpy as np
from nltk.tag.perceptron import PerceptronTagger
from nltk.tokenize.punkt import PunktTokenizer
from scripts.evaluate.extraction import quality
from scripts.shared import parser_of
from scripts.train.conllu import Sentence, paragraphs, raw_text, read_sentences
from scripts.train.syllables import learn, read_dictionary

from understandability.feature.syllables import SyllableWeights
from understandability.feature.tagger import TO_TWELVE, UNIVERSAL, default_tagger
from understandability.study.nltk_backend import NltkTagger
from understandability.text.sentences import sentence_starts
from understandability.text.tokens import split_pieces, tokenize


def visible(text: str) -> int:
    """Count the characters that are not white space; boundaries are offsets in these."""
    return len("".join(text.split()))


def ours(text: str) -> set[int]:
    """Return the starts of our sentences."""
    pieces = split_pieces(text)
    before = np.cumsum([0, *map(visible, pieces)])
    return {int(before[start]) for start in sentence_starts(pieces)}


def punkt() -> Callable[[str], set[int]]:
    """Return a function for the starts of sentences by NLTK's Punkt."""
    tokenizer = PunktTokenizer("english")
    return lambda text: {visible(text[:start]) for start, _ in tokenizer.span_tokenize(text)}


def boundary_scores(find: Callable[[str], set[int]], groups: list[list[Sentence]]) -> str:
    """Format precision, recall and F1 of the boundaries inside each group of sentences."""
    right = n_predicted = n_gold = 0
    for group in groups:
        begins = np.cumsum([visible(sentence.text) for sentence in group])[:-1]
        gold, predicted = set(begins.tolist()), find(raw_text(group)) - {0}
        right += len(gold & predicted)
        n_predicted, n_gold = n_predicted + len(predicted), n_gold + len(gold)
    return f"{formatted(right, n_predicted, n_gold)}  ({n_gold:,} boundaries)"


def token_scores(sentences: Iterable[Sentence]) -> str:
    """Format precision, recall and F1 of our tokens, with gold sentences."""
    right = n_predicted = n_gold = 0
    for sentence in sentences:
        spans = []
        for tokens in (
            sentence.tokens,
            [token for piece in split_pieces(sentence.text) for token in tokenize(piece)],
        ):
            ends = np.cumsum([visible(token) for token in tokens]).tolist()
            spans.append(set(zip([0, *ends[:-1]], ends, strict=True)))
        right += len(spans[0] & spans[1])
        n_gold, n_predicted = n_gold + len(spans[0]), n_predicted + len(spans[1])
    return formatted(right, n_predicted, n_gold)


def formatted(right: int, predicted: int, gold: int) -> str:
    """Format precision, recall and F1."""
    return " ".join(f"{value:.4f}" for value in quality(right, predicted, gold))


def syllable_scores(counts: dict[str, int]) -> str:
    """Learn weights from nine tenths of the words; format their accuracy on the other tenth."""
    words = sorted(counts)
    order = np.random.default_rng(0).permutation(len(words))
    tenth = len(words) // 10
    weights = learn({words[index]: counts[words[index]] for index in order[tenth:]})
    held_out = [words[index] for index in order[:tenth]]
    truth = np.array([counts[word] for word in held_out])
    predicted = SyllableWeights(weights).count(held_out)
    is_long, looks_long = truth >= 3, predicted >= 3
    both = (is_long & looks_long).sum()
    return (
        f"{len(truth):,} held-out word types: exact {(truth == predicted).mean():.4f}, "
        f"three or more: recall {both / is_long.sum():.4f}, "
        f"precision {both / looks_long.sum():.4f}"
    )


def main() -> None:
    """Print the tables."""
    arguments = parser_of(__doc__).parse_args()
    nltk.data.path.insert(0, str(arguments.data / "nltk_data"))
    treebank = arguments.data / "ud_english_ewt"
    train = list(read_sentences(treebank / "en_ewt-ud-train.conllu.gz"))
    dev = list(read_sentences(treebank / "en_ewt-ud-dev.conllu.gz"))

    print("sentence boundaries (precision, recall, F1)")
    for unit, whole in (("paragraphs", False), ("documents", True)):
        groups = paragraphs(iter(dev), whole)
        print(f"  {unit}: ours  {boundary_scores(ours, groups)}")
        print(f"  {unit}: Punkt {boundary_scores(punkt(), groups)}")
    print(f"tokens (precision, recall, F1)\n  ours {token_scores(dev)}")

    tokens = [token for sentence in dev for token in sentence.tokens]
    gold = np.array([UNIVERSAL.index(tag) for sentence in dev for tag in sentence.tags])
    starts = np.cumsum([0, *(len(sentence.tokens) for sentence in dev[:-1])])
    perceptron = PerceptronTagger(load=False)
    perceptron.train([list(zip(s.tokens, s.tags, strict=True)) for s in train], nr_iter=5)
    retrained = np.array([UNIVERSAL.index(tag) for s in dev for _, tag in perceptron.tag(s.tokens)])
    trained_on = {token for sentence in train for token in sentence.tokens}
    unknown = np.array([token not in trained_on for token in tokens])
    print("tags (accuracy: UD's 17, twelve, UD's 17 on words not in the training part)")
    for name, tags in (
        ("ours", default_tagger().tag(tokens, starts)),
        ("NLTK's perceptron trained on the same part", retrained),
        ("NLTK's own tagger, tags mapped", NltkTagger().tag(tokens, starts)),
    ):
        right = tags == gold
        twelve = TO_TWELVE[tags] == TO_TWELVE[gold]
        print(f"  {name}: {right.mean():.4f} {twelve.mean():.4f} {right[unknown].mean():.4f}")

    print("syllables")
    dictionary = arguments.data / "nltk_data/corpora/cmudict/cmudict"
    print(f"  {syllable_scores(read_dictionary(dictionary))}")


if __name__ == "__main__":
    main()
