// The editor: what is typed goes to the server on this machine, and its answer beside the text.

import { KINDS, draw, isFixed, marksOf, moved } from "./marks.js";
import * as panel from "./panel.js";
import * as server from "./server.js";
import * as desk from "./work.js";

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
let able = {}; // what the server was started with
let isExample = false; // the text is the example of the first visit, unchanged

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
    const found = await server.explain(asked, $("reader").value || undefined, steps, desk.work.english || undefined);
    tell("");
    if (!steps && explanation) {
      found.first_steps = explanation.first_steps;
      found.together = explanation.together;
    }
    explanation = found;
    explained = asked;
    marks = moved(marksOf(asked, found, desk.isRefused), asked, text.value);
    shown = text.value;
    draw(mirror, shown, marks);
    panel.showReaders($("reader"), found.readers);
    panel.showHeadline(found, chosenReader());
    panel.showDetails(found, { jump, replaceAll });
    panel.showSince(found, desk.work.versions.at(-1));
    if (steps) {
      panel.showSteps(found);
      panel.showQuestions(found, asked, desk.work.answers, desk.QUESTIONS, answered);
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
  if (isExample && text.value !== desk.EXAMPLE) endExample();
  marks = moved(marks, shown, text.value);
  shown = text.value;
  draw(mirror, shown, marks);
  choices.hidden = true;
  clearTimeout(timer);
  clearTimeout(calm);
  timer = setTimeout(() => { wanted = "quick"; ask(); }, QUICK);
  calm = setTimeout(() => { store(); wanted = "whole"; ask(); }, CALM);
}

function endExample() {
  isExample = false;
  $("example").hidden = true;
}

function store() {
  if (isExample) return;
  desk.work.text = text.value;
  if (!desk.keep()) tell("This browser keeps nothing: save your text before you close the window.");
}

function answered(id, isDone) {
  desk.work.answers[id] = isDone;
  store();
}

// What the writer does not want is not marked again, here or in the next text.
function refuse(what) {
  desk.refuse(what);
  store();
  closeChoices();
  if (explanation && explained === text.value) {
    marks = marksOf(explained, explanation, desk.isRefused);
    draw(mirror, shown, marks);
  }
}

function closeChoices() {
  choices.hidden = true;
  text.focus();
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
  showSentence(number, true);
}

const sameTerm = (offer, term) => offer.term === term || offer.term.toLowerCase() === term;

// Wherever that plain term fits; as one step of undo.
function replaceAll(term, plain) {
  if (explained !== text.value) return;
  const every = marks.words.filter((mark) => mark.offer && sameTerm(mark.offer, term));
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

function button(label, act, className = "") {
  const made = panel.element("button", { type: "button", className }, label);
  made.addEventListener("click", act);
  return made;
}

function place(anchor, focus) {
  choices.hidden = false;
  const word = anchor.getBoundingClientRect();
  const paper = mirror.parentElement.getBoundingClientRect();
  choices.style.top = `${word.bottom - paper.top + mirror.parentElement.offsetTop + 4}px`;
  choices.style.left = `${Math.max(0, Math.min(word.left - paper.left, paper.width - choices.offsetWidth))}px`;
  if (focus) (choices.querySelector("button") ?? choices).focus();
}

const NOTES = {
  hard: "People find this word hard, and there is no plain term here. Explain it in brackets where it first occurs, or say what it does.",
  abbreviation: "The text never says what these letters stand for.",
  passive: "A passive: who does it? If the reader should know, say so.",
};

// The word at the caret, with what to say instead; else the sentence there.
function showAtCaret(focus) {
  const caret = text.selectionStart;
  if (text.selectionEnd !== caret) {
    choices.hidden = true;
    return;
  }
  const number = marks.words.findIndex((mark) => mark.start <= caret && caret <= mark.end && !desk.work.hidden.includes(mark.kind));
  if (number >= 0) {
    showWord(number, focus);
    return;
  }
  const sentence = marks.sentences.findIndex((mark) => mark.start <= caret && caret < mark.end);
  if (sentence >= 0 && (focus || marks.sentences[sentence].shade > 0 || marks.sentences[sentence].long)) showSentence(sentence, focus);
  else choices.hidden = true;
}

function showWord(number, focus) {
  const { kind, offer, word, likely, start, end } = marks.words[number];
  const use = (instead) => () => { choices.hidden = true; put(start, end, instead); };
  const parts = [];
  if (offer) {
    for (const [index, instead] of offer.texts.entries()) {
      // "fever (pyrexia)": the plain term, and the term for readers who will meet it.
      const both = instead.replace(/[.,;:!?)\]]*$/, (mark) => ` (${offer.term.toLowerCase()})${mark}`);
      parts.push(button(offer.plain[index], use(instead), "primary"), button(`${offer.plain[index]} (${offer.term.toLowerCase()})`, use(both)));
    }
    if (offer.in_brackets) parts.push(button(`Explain it: ${offer.in_brackets.replace(/[.,;:!?]+$/, "")}`, use(offer.in_brackets), "primary"));
    const meaning = panel.element("p", { id: "meaning" });
    if (!offer.texts.length && offer.plain.length) meaning.append(`${panel.inPlainWords(offer.plain)} `);
    meaning.append(panel.element("span", { className: "note" }, offer.note));
    parts.push(meaning);
  } else if (kind === "spelling" && likely) {
    parts.push(button(likely, use(text.value.slice(start, end).replace(word, likely))), panel.element("p", { id: "meaning", className: "note" }, "A likely spelling mistake."));
  } else {
    parts.push(panel.element("p", { id: "meaning", className: "note" }, NOTES[kind] ?? ""));
  }
  const sentence = marks.sentences.findIndex((mark) => mark.start <= start && start < mark.end);
  if (sentence >= 0) parts.push(button("Why is this sentence hard?", () => showSentence(sentence, true), "quiet"));
  parts.push(button("Not this one", () => refuse(`${kind} ${word.toLowerCase()}`), "quiet"));
  choices.replaceChildren(...parts);
  choices.setAttribute("aria-label", `What to say for ${word}`);
  place(mirror.querySelectorAll("u")[number], focus);
}

// Why a sentence is hard, and what could be made of it.
async function showSentence(number, focus) {
  const mark = marks.sentences[number];
  const about = explanation?.sentences[mark?.number];
  if (!about || explained !== text.value) return;
  const passage = text.value.slice(mark.start, mark.end);
  const reasons = about.reasons.length ? about.reasons : ["no single reason stands out"];
  const list = panel.element("div", { className: "proposals" }, panel.element("p", { className: "note" }, "Looking for a plainer form …"));
  choices.replaceChildren(
    panel.element("p", {}, panel.element("strong", {}, about.shade ? "Why this sentence is hard" : "This sentence")),
    panel.element("ul", { className: "reasons" }, ...reasons.map((reason) => panel.element("li", {}, reason))), list);
  choices.setAttribute("aria-label", "This sentence");
  place(mirror.querySelectorAll(":scope > span")[number] ?? mirror, false);
  if (focus) choices.focus();
  const asked = text.value;
  const isCurrent = () => !choices.hidden && list.isConnected && text.value === asked;
  try {
    const found = await server.proposals(asked, mark.number, chosenReader() || undefined, desk.work.english || undefined);
    if (!isCurrent()) return;
    const rows = found.filter((each) => !desk.isRefused(`${each.kind}: ${passage}`)).map((each) => {
      const take = () => { choices.hidden = true; put(mark.start, mark.end, each.text); };
      return panel.element("div", { className: "proposal" },
        panel.element("p", { className: "note" }, `${each.action}: ${panel.points(each.points)}`),
        panel.element("p", { className: "preview" }, each.text),
        button("Use it", take, "primary"), " ", button("Not this one", () => refuse(`${each.kind}: ${passage}`), "quiet"));
    });
    list.replaceChildren(...(rows.length ? rows : [panel.element("p", { className: "note" }, `No rule is sure how to make it plainer. ${panel.hint(about.reasons)}`)]));
    if (able.rewrite) list.append(button("Ask your language model", () => rewritten(list, passage, mark, isCurrent)));
    if (focus) choices.querySelector("button")?.focus();
    place(mirror.querySelectorAll(":scope > span")[number] ?? mirror, false);
  } catch (error) {
    closeChoices();
    fail(error);
  }
}

// What the server's language model proposes, with the facts that it loses or adds.
async function rewritten(list, passage, mark, isCurrent) {
  list.replaceChildren(panel.element("p", { className: "note" }, "Asking …"));
  try {
    const found = await server.rewrite(passage, chosenReader() || undefined);
    if (!isCurrent()) return;
    const verdict = `${panel.percent(found.before)} → ${panel.percent(found.after)} of readers. ${found.accepted ? "No fact was lost; read it all the same." : ""}`;
    list.replaceChildren(panel.element("p", { className: "preview" }, found.text), panel.element("p", { className: "note" }, verdict));
    const facts = (title, rows) => (rows.length ? [panel.element("p", {}, panel.element("strong", {}, title)), panel.element("ul", { className: "reasons" }, ...rows.map((row) => panel.element("li", {}, row)))] : []);
    list.append(...facts("Lost or changed", found.missing), ...facts("New", found.added));
    if (!found.accepted && !found.missing.length && !found.added.length) list.append(panel.element("p", { className: "note" }, `Not recommended: ${found.why}.`));
    // What is lost or new has to be accepted by a person.
    const label = found.accepted ? "Use it" : "I have checked it: use it all the same";
    list.append(button(label, () => { choices.hidden = true; put(mark.start, mark.end, found.text); }, found.accepted ? "primary" : "quiet"));
  } catch (error) {
    if (isCurrent()) list.replaceChildren(panel.element("p", { className: "note" }, error.message));
  }
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

async function openFile(file) {
  if (!file.name.endsWith(".json")) {
    await open(server.textOfFile(file));
    return;
  }
  try {
    if (text.value.trim()) keep();
    await desk.fromFile(file);
    restore();
  } catch (error) {
    fail(error instanceof SyntaxError ? new Error(`${file.name} is not a file of this editor's work`) : error);
  }
}

function keep() {
  const time = new Date().toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
  const known = explanation && explained === text.value;
  desk.work.versions.push({
    name: `Version ${desk.work.versions.length + 1}`, time, text: text.value,
    difficulty: known ? explanation.estimate.difficulty : null,
    chance: known ? explanation.estimate.p_understandable : null,
  });
  showVersions();
}

function showVersions() {
  store();
  panel.showVersions(desk.work.versions, {
    rename: (version, name) => { version.name = name.trim() || version.name; showVersions(); },
    restore: (version) => put(0, text.value.length, version.text),
    remove: (version) => {
      desk.work.versions = desk.work.versions.filter((each) => each !== version);
      showVersions();
    },
  });
}

function compared() {
  return ["from", "to"].map((id) => {
    const version = desk.work.versions[$(id).value];
    return version ?? { name: "Now", text: text.value };
  });
}

// The text, versions and choices as the browser or a file kept them.
function restore() {
  $("english").value = desk.work.english;
  for (const box of $("shown").querySelectorAll("input")) {
    box.checked = !desk.work.hidden.includes(box.value);
    mirror.classList.toggle(`hide-${box.value}`, !box.checked);
  }
  isExample = desk.isFirstVisit && !desk.work.text;
  $("example").hidden = !isExample;
  text.value = isExample ? desk.EXAMPLE : desk.work.text;
  showVersions();
  changed();
}

for (const [kind, name] of Object.entries({ shade: "sentences by level", long: "long sentences", ...KINDS })) {
  const box = panel.element("input", { type: "checkbox", checked: true, value: kind });
  box.addEventListener("change", () => {
    mirror.classList.toggle(`hide-${kind}`, !box.checked);
    desk.work.hidden = desk.work.hidden.filter((each) => each !== kind).concat(box.checked ? [] : [kind]);
    store();
  });
  $("shown").append(panel.element("label", {}, box, " ", panel.element("span", { className: kind === "shade" ? "shade-2" : kind }, name)), " ");
}

$("own").addEventListener("click", () => {
  endExample();
  put(0, text.value.length, "");
});
// Who comes by keyboard replaces the example by typing; a click puts the caret into it.
text.addEventListener("focus", () => { if (isExample) text.select(); });
text.addEventListener("input", changed);
text.addEventListener("click", () => showAtCaret(false));
text.addEventListener("keydown", (event) => {
  if (event.altKey && event.key === "ArrowDown") {
    event.preventDefault();
    showAtCaret(true);
  } else if (event.altKey && event.key === "Enter") {
    event.preventDefault();
    const caret = text.selectionStart;
    const number = marks.sentences.findIndex((mark) => mark.start <= caret && caret <= mark.end);
    if (number >= 0) showSentence(number, true);
  } else if (event.key === "Escape") {
    choices.hidden = true;
  }
});
text.addEventListener("paste", (event) => {
  const found = desk.markdownOfHtml(event.clipboardData?.getData("text/html") ?? "");
  if (!found) return;
  event.preventDefault();
  put(text.selectionStart, text.selectionEnd, found);
});
choices.addEventListener("keydown", (event) => {
  const buttons = [...choices.querySelectorAll("button")];
  const at = buttons.indexOf(document.activeElement);
  if (event.key === "Escape") {
    closeChoices();
  } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    buttons.at((at + (event.key === "ArrowDown" ? 1 : -1)) % buttons.length)?.focus();
  }
});
$("undo").addEventListener("click", () => { text.focus(); document.execCommand("undo"); });
$("keep").addEventListener("click", keep);
$("save").addEventListener("change", async () => {
  const kind = $("save").value;
  $("save").value = "";
  try {
    if (kind === "md") download(new Blob([text.value], { type: "text/plain" }), "text.md");
    else if (kind === "work") { store(); download(desk.asFile(), "work.json"); }
    else if (kind) download(await server.saved(text.value, kind), `text.${kind}`);
  } catch (error) {
    fail(error);
  }
});
async function saveReport(now, before, name) {
  try {
    download(await server.report(now, chosenReader() || undefined, before), name);
  } catch (error) {
    fail(error);
  }
}
$("report").addEventListener("click", () => saveReport(text.value, undefined, "report.html"));
$("change-report").addEventListener("click", () => {
  const [before, after] = compared();
  saveReport(after.text, before.text, "changes.html");
});
$("compare").addEventListener("submit", async (event) => {
  event.preventDefault();
  const [before, after] = compared();
  try {
    panel.showComparison(await server.compare(before.text, after.text), [before.name, after.name]);
  } catch (error) {
    fail(error);
  }
});
$("english").addEventListener("change", () => {
  desk.work.english = $("english").value;
  store();
  wanted = "whole";
  ask();
});
$("delete").addEventListener("click", () => {
  if (!confirm("Delete the text and all versions?")) return;
  desk.forget();
  restore();
});
$("reader").addEventListener("change", () => {
  $("reader").dataset.chosen = "yes";
  if (explanation) panel.showHeadline(explanation, chosenReader());
});
$("file").addEventListener("change", () => { if ($("file").files[0]) openFile($("file").files[0]); });
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
  openFile(file);
});
addEventListener("pagehide", store);
// On a phone the verdict stays in sight once its card has been scrolled away.
new IntersectionObserver(([card]) => $("bar").classList.toggle("away", !card.isIntersecting)).observe(document.querySelector(".verdict"));

server.able().then((found) => { able = found; $("fetch").hidden = !found.fetch; });
desk.load();
restore();
