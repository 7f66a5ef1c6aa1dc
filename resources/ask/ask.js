// A participant reads texts one at a time and answers questions. The answers stay in this browser
// until the participant saves them as a file or sends them.
"use strict";

const study = JSON.parse(document.getElementById("study").textContent);
const key = `understandability.answers.${study.digest}`;
const find = (id) => document.getElementById(id);
// The words of the page, with values in place of names in braces.
const say = (name, values = {}) =>
  study.words[name].replace(/\{(\w+)\}/g, (_, value) => values[value]);
const START = -1;
let state;
let since = null; // when the text on the screen was shown, while it is visible

// Storage: nothing of it is trusted, because other pages may share it.

function fresh() {
  // Letters only, so that no spreadsheet reads the id as a number.
  const letters = "bcdfghjklmnpqrstvwxz";
  const random = crypto.getRandomValues(new Uint32Array(12 + study.texts.length));
  const participant = Array.from(random.slice(0, 12), (n) => letters[n % letters.length]).join("");
  const order = study.texts.map((_, index) => index);
  for (let last = order.length - 1; last > 0; last--) { // Fisher and Yates
    const other = random[12 + last] % (last + 1);
    [order[last], order[other]] = [order[other], order[last]];
  }
  return { participant, order: order.slice(0, study.shown), current: START, answers: {}, sent: false };
}

function isValid(stored) {
  const isIndex = (index) => Number.isInteger(index) && index >= 0 && index < study.texts.length;
  return /^[a-z]{12}$/.test(stored?.participant) && Array.isArray(stored.order)
    && stored.order.length === study.shown && new Set(stored.order).size === study.shown
    && stored.order.every(isIndex) && Number.isInteger(stored.current)
    && stored.current >= START && stored.current <= study.shown
    && typeof stored.answers === "object" && stored.answers !== null
    && Object.values(stored.answers).every((answer) => typeof answer?.message === "string"
      && Array.isArray(answer.choices) && Number.isFinite(answer.seconds));
}

function load() {
  try {
    const stored = JSON.parse(localStorage.getItem(key));
    if (isValid(stored)) return stored;
  } catch { /* no storage, or something else under our key: start anew */ }
  return fresh();
}

function store() {
  let kept = "kept";
  try {
    localStorage.setItem(key, JSON.stringify(state));
  } catch {
    kept = "not_kept";
  }
  find("kept").textContent = say(kept);
  find("storage").hidden = false;
}

// The answers of the text on the screen.

const currentText = () => study.texts[state.order[state.current]];
const currentAnswer = () => {
  const index = state.order[state.current];
  if (!state.answers[index]) {
    state.answers[index] = { message: "", choices: [], sure: null, seconds: 0, done: false };
  }
  return state.answers[index];
};

function countSeconds() {
  if (since !== null) currentAnswer().seconds += (performance.now() - since) / 1000;
  const isReading = !find("text").hidden && document.visibilityState === "visible";
  since = isReading ? performance.now() : null;
}

function readForm() {
  const answer = currentAnswer();
  answer.message = find("message").value;
  const checked = (name) => document.querySelector(`input[name="${name}"]:checked`);
  answer.choices = currentText().questions.map((_, number) => {
    const input = checked(`question-${number}`);
    return input && Number(input.value); // -1: I do not know; null: nothing chosen yet
  });
  answer.sure = checked("sure") && Number(checked("sure").value);
  store();
}

// Elements are made with textContent only: texts and questions are never read as HTML.

function element(tag, text, properties = {}) {
  const made = Object.assign(document.createElement(tag), properties);
  if (text) made.textContent = text;
  return made;
}

function radio(name, value, text, isChecked) {
  const label = element("label", "", { className: "choice" });
  const input = element("input", "", { type: "radio", name, value, required: true });
  input.checked = isChecked;
  label.append(input, ` ${text}`);
  return label;
}

function readingOf(blocks) {
  const parts = [];
  let list = null; // while items follow each other
  for (const [tag, text] of blocks) {
    if (tag === "li") {
      if (!list) parts.push(list = element("ul"));
      list.append(element("li", text));
    } else {
      list = null;
      parts.push(element(/^(h[1-6]|title)$/.test(tag) ? "h3" : "p", text));
    }
  }
  return parts;
}

function fieldsetOf(question, number, chosen) {
  const set = element("fieldset");
  set.append(element("legend", question.text));
  [...question.choices, say("unknown")].forEach((choice, index) => {
    const value = index < question.choices.length ? index : -1;
    set.append(radio(`question-${number}`, value, choice, chosen === value));
  });
  return set;
}

// Screens.

function show(screen, focused) {
  for (const name of ["start", "text", "end"]) find(name).hidden = name !== screen;
  scrollTo(0, 0);
  if (focused) find(focused).focus({ preventScroll: true });
}

const counts = () => ({
  count: state.order.filter((index) => state.answers[index]?.done).length,
  shown: study.shown,
});

// The position of the first text that is not answered; -1 if there is none.
const nextOpen = () => state.order.findIndex((index) => !state.answers[index]?.done);

function showStart() {
  const begun = Object.keys(state.answers).length > 0;
  find("resume").hidden = !begun;
  find("resume").textContent = say("resume", counts());
  find("begin").textContent = say(begun ? "go_on" : "start");
  show("start");
}

function showText() {
  const { blocks, questions, language } = currentText();
  const answer = currentAnswer();
  const number = state.current + 1;
  find("heading").textContent = say("number", { number, shown: study.shown });
  find("progress").max = study.shown;
  find("progress").value = number;
  find("reading").lang = find("questions").lang = language;
  find("reading").replaceChildren(...readingOf(blocks));
  find("message").value = answer.message;
  find("questions").replaceChildren(
    ...questions.map((question, index) => fieldsetOf(question, index, answer.choices[index])));
  for (const input of find("sure").querySelectorAll("input")) {
    input.checked = Number(input.value) === answer.sure;
  }
  find("next").textContent = say(number < study.shown ? "next" : "finish");
  show("text", "heading");
  countSeconds();
}

function showEnd() {
  find("answered").textContent = say("answered", counts());
  find("return").textContent = say(nextOpen() === -1 ? "back" : "go_on_reading");
  find("stored").textContent = JSON.stringify(result(), null, 1);
  find("status").textContent = state.sent ? say("received") : "";
  show("end", "thanks");
}

function go(current) {
  countSeconds();
  since = null;
  state.current = current;
  if (current !== START) store();
  if (current === START) showStart();
  else if (current === study.shown) showEnd();
  else showText();
}

function result() {
  const answers = state.order.flatMap((index, position) => {
    const answer = state.answers[index];
    return answer?.done ? [{
      text: study.texts[index].id,
      position: position + 1,
      message: answer.message,
      choices: answer.choices.map((choice) => (choice === -1 ? null : choice)),
      sure: answer.sure,
      seconds: Math.round(answer.seconds),
    }] : [];
  });
  return { schema: study.schema, study: study.digest, participant: state.participant, answers };
}

function save() {
  const file = new Blob([JSON.stringify(result(), null, 1)], { type: "application/json" });
  const link = element("a", "", { href: URL.createObjectURL(file) });
  link.download = `answers-${state.participant}.json`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  find("status").textContent = say("saved", { file: link.download });
}

async function send() {
  find("send").disabled = true;
  find("status").textContent = say("sending");
  let problem = "";
  try {
    const reply = await fetch(study.post, {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${study.token}` },
      body: JSON.stringify(result()),
      credentials: "omit",
      referrerPolicy: "no-referrer",
    });
    if (!reply.ok) {
      const said = await reply.json().catch(() => ({}));
      problem = typeof said.error === "string" ? said.error : `status ${reply.status}`;
    }
  } catch {
    problem = say("unreachable");
  }
  find("send").disabled = false;
  state.sent = problem === "";
  store();
  find("status").textContent = state.sent ? say("received") : say("not_received", { problem });
}

find("starting").addEventListener("submit", (event) => {
  event.preventDefault();
  go(Math.max(state.current, 0)); // after a reload, where the participant was
});
find("form").addEventListener("input", readForm);
find("form").addEventListener("submit", (event) => {
  event.preventDefault();
  readForm();
  currentAnswer().done = true;
  go(state.current + 1);
});
find("back").addEventListener("click", () => go(state.current - 1));
find("stop").addEventListener("click", () => go(study.shown));
find("return").addEventListener("click", () => {
  const open = nextOpen();
  go(open === -1 ? study.shown - 1 : open);
});
find("save").addEventListener("click", save);
find("send")?.addEventListener("click", send);
find("delete").addEventListener("click", () => {
  try {
    localStorage.removeItem(key);
  } catch { /* there was no storage */ }
  since = null;
  state = fresh();
  find("storage").hidden = true;
  find("storage").querySelector("details").open = false;
  find("form").reset();
  showStart();
  find("begin").focus();
});
document.addEventListener("visibilitychange", () => {
  if (!find("text").hidden) {
    countSeconds();
    store();
  }
});

find("javascript").hidden = true; // a browser that is too old for this script shows it
state = load();
if (Object.keys(state.answers).length > 0) store();
showStart();
