// The editor: what is typed goes to the server on this machine, and its answer beside the text.

import { draw, marksOf, moved } from "./marks.js";
import * as panel from "./panel.js";
import * as server from "./server.js";

const QUICK = 10; // milliseconds after a key, so that a word typed at once is sent once
const CALM = 400; // after which it is worked out what to do first, and said aloud

const $ = (id) => document.getElementById(id);
const text = $("text");
const mirror = $("mirror");
const choices = $("choices");

let shown = ""; // the text that the mirror holds
let marks = { sentences: [], words: [] };
let explanation = null;
let explained = ""; // the text that the explanation is of
let busy = false;
let wanted = null; // what to ask next: "quick", "whole" or null
let timer = 0;
let calm = 0;
const versions = [];

function tell(sentence) {
  $("message").textContent = sentence;
  $("message").hidden = !sentence;
}

function fail(error) {
  if (error.status === 401) $("sign-in").hidden = false;
  tell(error.message);
}

// Ask, one request at a time; what was typed meanwhile is asked for when the answer is here.
async function ask() {
  if (busy || !wanted) return;
  const steps = wanted === "whole";
  const asked = text.value;
  wanted = null;
  busy = true;
  try {
    const found = await server.explain(asked, $("reader").value || undefined, steps);
    tell("");
    if (!steps && explanation) {
      found.first_steps = explanation.first_steps;
      found.together = explanation.together;
    }
    explanation = found;
    explained = asked;
    marks = moved(marksOf(asked, found), asked, text.value);
    shown = text.value;
    draw(mirror, shown, marks);
    panel.showReaders($("reader"), found.readers);
    panel.showHeadline(found, chosenReader());
    panel.showDetails(found, { jump, replaceAll });
    if (steps) {
      panel.showSteps(found);
      $("status").textContent = panel.spoken(found);
    }
    document.dispatchEvent(new CustomEvent("explained", { detail: { text: asked, steps } }));
  } catch (error) {
    fail(error);
  } finally {
    busy = false;
  }
  ask();
}

function chosenReader() {
  const select = $("reader");
  if (!select.dataset.chosen && select.options.length) select.value = "public";
  return select.value;
}

function changed() {
  marks = moved(marks, shown, text.value);
  shown = text.value;
  draw(mirror, shown, marks);
  choices.hidden = true;
  clearTimeout(timer);
  clearTimeout(calm);
  timer = setTimeout(() => { wanted = "quick"; ask(); }, QUICK);
  calm = setTimeout(() => { wanted = "whole"; ask(); }, CALM);
}

// Put a text in place of a range so that the browser's own undo knows it.
function put(start, end, instead) {
  text.focus();
  text.setSelectionRange(start, end);
  const done = instead ? document.execCommand("insertText", false, instead) : document.execCommand("delete");
  if (!done) {
    text.setRangeText(instead, start, end, "end");
    changed();
  }
}

function jump(number) {
  const mark = marks.sentences[number];
  if (!mark) return;
  text.focus();
  text.setSelectionRange(mark.start, mark.end);
  mirror.querySelectorAll(":scope > span")[number]?.scrollIntoView({ block: "center" });
}

const sameTerm = (offer, term) => offer.term === term || offer.term.toLowerCase() === term;

// Wherever that plain term fits; as one step of undo.
function replaceAll(term, plain) {
  if (explained !== text.value) return;
  const every = marks.words.filter((mark) => sameTerm(mark.offer, term));
  const found = every.filter((mark) => mark.offer.texts[mark.offer.plain.indexOf(plain)]);
  if (!found.length) return;
  const start = found[0].start;
  const end = found.at(-1).end;
  let made = "";
  let at = start;
  for (const mark of found) {
    made += text.value.slice(at, mark.start) + mark.offer.texts[mark.offer.plain.indexOf(plain)];
    at = mark.end;
  }
  put(start, end, made);
  tell("");
  const left = every.length - found.length;
  $("status").textContent = `“${term}” was replaced ${found.length} ${found.length === 1 ? "time" : "times"}${left ? `; ${left} left, where it does not fit` : ""}`;
}

// The term at the caret, with what to say instead.
function offerAtCaret(focus) {
  const place = text.selectionStart;
  const number = marks.words.findIndex((mark) => mark.start <= place && place <= mark.end);
  if (number < 0 || text.selectionEnd !== place) {
    choices.hidden = true;
    return;
  }
  const { offer, start, end } = marks.words[number];
  const buttons = offer.texts.map((instead, index) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = offer.plain[index];
    button.addEventListener("click", () => {
      choices.hidden = true;
      put(start, end, instead);
    });
    return button;
  });
  const meaning = document.createElement("p");
  meaning.id = "meaning";
  const note = document.createElement("span");
  note.className = "note";
  note.textContent = offer.note;
  const inWords = !buttons.length && offer.plain.length ? [`${panel.inPlainWords(offer.plain)} `] : [];
  meaning.append(...inWords, note);
  choices.replaceChildren(...buttons, meaning);
  choices.hidden = false;
  const word = mirror.querySelectorAll("u")[number].getBoundingClientRect();
  const paper = mirror.parentElement.getBoundingClientRect();
  choices.style.top = `${word.bottom - paper.top + mirror.parentElement.offsetTop + 4}px`;
  choices.style.left = `${Math.max(0, Math.min(word.left - paper.left, paper.width - choices.offsetWidth))}px`;
  if (focus) (buttons[0] ?? choices).focus();
}

function download(content, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

async function open(asked) {
  try {
    const found = await asked;
    if (text.value.trim()) keep();
    put(0, text.value.length, found.text);
    text.setSelectionRange(0, 0);
    tell("");
  } catch (error) {
    fail(error);
  }
}

function keep() {
  const time = new Date().toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  const known = explanation && explained === text.value && explanation.level;
  const summary = known ? `level ${explanation.level.name}, difficulty ${explanation.estimate.difficulty.toFixed(1)}` : `${text.value.length} letters`;
  versions.push({ time, summary, text: text.value });
  panel.showVersions(versions, {
    compare: async (version) => {
      try {
        panel.showComparison(await server.compare(version.text, text.value));
      } catch (error) {
        fail(error);
      }
    },
    restore: (version) => put(0, text.value.length, version.text),
  });
}

text.addEventListener("input", changed);
text.addEventListener("click", () => offerAtCaret(false));
text.addEventListener("keydown", (event) => {
  if (event.altKey && event.key === "ArrowDown") {
    event.preventDefault();
    offerAtCaret(true);
  }
});
choices.addEventListener("keydown", (event) => {
  const buttons = [...choices.querySelectorAll("button")];
  const at = buttons.indexOf(document.activeElement);
  if (event.key === "Escape") {
    choices.hidden = true;
    text.focus();
  } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    buttons.at((at + (event.key === "ArrowDown" ? 1 : -1)) % buttons.length)?.focus();
  }
});
$("undo").addEventListener("click", () => { text.focus(); document.execCommand("undo"); });
$("keep").addEventListener("click", keep);
$("save").addEventListener("click", () => download(new Blob([text.value], { type: "text/plain" }), "text.txt"));
$("report").addEventListener("click", async () => {
  try {
    download(await server.report(text.value, chosenReader() || undefined), "report.html");
  } catch (error) {
    fail(error);
  }
});
$("reader").addEventListener("change", () => {
  $("reader").dataset.chosen = "yes";
  if (explanation) panel.showHeadline(explanation, chosenReader());
});
$("file").addEventListener("change", () => { if ($("file").files[0]) open(server.textOfFile($("file").files[0])); });
$("fetch").addEventListener("submit", (event) => {
  event.preventDefault();
  open(server.textOfPage($("address").value));
});
$("sign-in").addEventListener("submit", (event) => {
  event.preventDefault();
  server.useToken($("token").value);
  $("sign-in").hidden = true;
  wanted = "whole";
  ask();
});
document.addEventListener("dragover", (event) => event.preventDefault());
document.addEventListener("drop", (event) => {
  const file = event.dataTransfer?.files[0];
  if (!file) return; // text that is dragged goes where it is dropped
  event.preventDefault();
  open(server.textOfFile(file));
});
addEventListener("beforeunload", (event) => { if (text.value.trim()) event.preventDefault(); });

server.fetches().then((able) => { $("fetch").hidden = !able; });
changed(); // a text that the browser kept
