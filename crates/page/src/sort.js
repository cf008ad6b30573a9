// A click on a column's name sorts the table by it, another one the other way round. Cells may carry their value; rows
// without a cell there come first.
for (const table of document.querySelectorAll('table.sort')) {
  const heads = [...table.tHead.rows[0].cells];
  const number = (row, at) => Number(row.cells[at]?.dataset.value ?? -Infinity);
  const text = (row, at) => row.cells[at]?.textContent ?? '';
  heads.forEach((head, at) => {
    if (head.classList.contains('fixed')) return;
    const sort = () => {
      const down = head.ariaSort === 'ascending';
      for (const other of heads) other.ariaSort = null;
      head.ariaSort = down ? 'descending' : 'ascending';
      const rows = [...table.tBodies[0].rows];
      const numeric = rows.some(row => row.cells[at]?.dataset.value !== undefined);
      rows.sort((a, b) => {
        if (!numeric) return text(a, at).localeCompare(text(b, at), 'en');
        const [one, other] = [number(a, at), number(b, at)];
        return one < other ? -1 : one > other ? 1 : 0;
      });
      if (down) rows.reverse();
      table.tBodies[0].append(...rows);
    };
    head.tabIndex = 0;
    head.addEventListener('click', sort);
    head.addEventListener('keydown', event => { if (event.key === 'Enter') sort(); });
  });
}
