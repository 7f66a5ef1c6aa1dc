for (const box of document.querySelectorAll("input[data-kind]")) {
  box.addEventListener("change", () => {
    const text = document.getElementById(box.dataset.for);
    text.classList.toggle("hide-" + box.dataset.kind, !box.checked);
  });
}
