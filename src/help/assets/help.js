// What the pages do beyond links: the chosen theme, the filter of operations, details that a link leads into.

const theme = localStorage.getItem("console.theme");
if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;

function openTarget() {
  const id = decodeURIComponent(location.hash.slice(1));
  const target = id === "" ? null : document.getElementById(id);
  const details = target?.closest("details");
  if (details) {
    details.open = true;
    target.scrollIntoView();
  }
}
addEventListener("hashchange", openTarget);
openTarget();

for (const details of document.querySelectorAll("details[id]")) {
  details.addEventListener("toggle", () => {
    if (details.open) history.replaceState(null, "", `#${encodeURIComponent(details.id)}`);
  });
}

addEventListener("beforeprint", () => {
  for (const details of document.querySelectorAll("details")) details.open = true;
});

const filter = document.getElementById("filter");
if (filter !== null) {
  filter.closest(".filter").hidden = false;
  const operations = [...document.querySelectorAll("details.operation, details.schema")].map((element) => ({
    element,
    text: element.querySelector("summary").textContent.toLowerCase(),
    whole: element.textContent.toLowerCase(),
  }));
  filter.addEventListener("input", () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    let found = 0;
    for (const { element, text, whole } of operations) {
      const isOperation = element.classList.contains("operation");
      element.hidden = !words.every((word) => (isOperation ? whole : text).includes(word));
      if (!element.hidden && isOperation) found++;
    }
    for (const group of document.querySelectorAll(".group")) {
      group.hidden = group.querySelector("details:not([hidden])") === null;
    }
    const number = found === 1 ? "1 operation" : `${found} operations`;
    document.getElementById("found").textContent = words.length === 0 ? "" : number;
  });
}
