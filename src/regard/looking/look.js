// Links answer and source both ways. One listener on the document serves every look on it, also those added later.
// The weights are read from the heat map itself: a cell's --w is its share of the scale's top.
(() => {
  if (window.regardLook) return;
  window.regardLook = true;
  const numbers = text => (text ? text.split(" ").map(Number) : []);
  const percent = share => (share > 0 && share < 0.005 ? "<1" : Math.round(share * 100)) + " %";
  const bits = (root, kind) => [...root.querySelectorAll(".bit." + kind)];
  const reset = look => {
    look.querySelectorAll(".bit").forEach(bit => { bit.style.setProperty("--w", 0); bit.classList.remove("at"); });
    look.querySelector(".told").textContent = "";
  };
  const share = (table, row, place) => {
    const cell = table.tBodies[0].rows[row].querySelector(`[data-place="${place}"]`);
    return parseFloat(cell.style.getPropertyValue("--w"));
  };
  // The share of a stretch of source in a stretch of answer: its places together, the mean of the outputs.
  const together = (table, rows, places) =>
    Math.min(1, rows.reduce((sum, row) => sum + places.reduce((part, place) => part + share(table, row, place), 0), 0)
      / rows.length);

  function show(bit) {
    const look = bit.closest(".regard-look");
    reset(look);
    bit.classList.add("at");
    const told = [bit.title];
    const own = numbers(bit.dataset.at);
    const gazes = bit.classList.contains("piece") ? [...look.querySelectorAll(".gaze")] : [bit.closest(".gaze")];
    for (const gaze of gazes) {
      const table = gaze.querySelector("table");
      if (!table) continue;
      const found = [];
      for (const other of bits(bit.classList.contains("piece") ? gaze : look,
                               bit.classList.contains("piece") ? "place" : "piece")) {
        const theirs = numbers(other.dataset.at);
        const value = bit.classList.contains("piece") ? together(table, own, theirs) : together(table, theirs, own);
        other.style.setProperty("--w", value);
        found.push([value * table.dataset.top, other.textContent]);
      }
      found.sort((a, b) => b[0] - a[0]);
      const best = found.filter(([weight]) => weight >= 0.01).slice(0, 3);
      const name = gaze.querySelector("h3") ? gaze.querySelector("h3").textContent + ": " : "";
      const verb = bit.classList.contains("piece") ? "looked at " : "looked at for ";
      if (best.length) told.push(name + verb + best.map(([weight, text]) => `⁨${text}⁩ ${percent(weight)}`).join(", "));
    }
    look.querySelector(".told").textContent = told.join(" · ");
  }

  const bitOf = event => event.target.closest && event.target.closest(".regard-look .bit");
  for (const kind of ["mouseover", "focusin"])
    document.addEventListener(kind, event => { const bit = bitOf(event); if (bit) show(bit); });
  for (const kind of ["mouseout", "focusout"])
    document.addEventListener(kind, event => {
      const bit = bitOf(event);
      if (!bit) return;
      const look = bit.closest(".regard-look"), held = look.querySelector(".bit:focus");
      if (kind === "mouseout" && held) show(held); else reset(look);
    });
  document.addEventListener("keydown", event => {
    const bit = bitOf(event);
    if (!bit || !["ArrowLeft", "ArrowRight", "Home", "End"].includes(event.key)) return;
    const line = bit.closest(".line"), all = [...line.querySelectorAll(".bit")];
    const forward = (event.key === "ArrowRight") === (getComputedStyle(line).direction === "ltr");
    const to = event.key === "Home" ? 0 : event.key === "End" ? all.length - 1
      : Math.max(0, Math.min(all.length - 1, all.indexOf(bit) + (forward ? 1 : -1)));
    all.forEach(other => { other.tabIndex = -1; });
    all[to].tabIndex = 0;
    all[to].focus();
    event.preventDefault();
  });
})();
