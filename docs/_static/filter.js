// A long table gets a field above it, which shows the rows that hold every word typed.
document.addEventListener("DOMContentLoaded", () => {
  for (const table of document.querySelectorAll("article table")) {
    const rows = [...table.tBodies[0].rows];
    if (rows.length < 30) continue;
    const field = document.createElement("input");
    field.type = "search";
    field.placeholder = `Search these ${rows.length} rows`;
    field.setAttribute("aria-label", field.placeholder);
    field.className = "table-filter";
    field.addEventListener("input", () => {
      const words = field.value.toLowerCase().split(/\s+/);
      for (const row of rows) {
        const text = row.textContent.toLowerCase();
        row.hidden = !words.every((word) => text.includes(word));
      }
    });
    (table.closest(".table-wrapper") ?? table).before(field);
  }
});
