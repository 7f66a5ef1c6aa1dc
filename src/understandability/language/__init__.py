"""From text to words, sentences, syllables and tags."""
