for (const box of document.querySelectorAll("input[data-kind]")) {
  box.addEventListener("change", () => {
    const text = document.getElementById(box.dataset.for);
    text.classList.toggle("hide-" + box.dataset.kind, !box.checked);
  });
}

// A click on the head of a column sorts its table by it, and another the other way round.
for (const button of document.querySelectorAll(".sortable th button")) {
  button.addEventListener("click", () => {
    const head = button.parentElement;
    const column = [...head.parentElement.children].indexOf(head);
    const down = head.getAttribute("aria-sort") === "ascending";
    for (const each of head.parentElement.children) each.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const value = (row) => row.children[column].textContent.replace("less than", "").trim();
    const order = (one, other) => value(one).localeCompare(value(other), "en", { numeric: true });
    const body = head.closest("table").tBodies[0];
    body.append(...[...body.rows].sort((one, other) => (down ? -order(one, other) : order(one, other))));
  });
}
