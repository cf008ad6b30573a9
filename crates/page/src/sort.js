// A click on a column's name sorts the table by it, another one the other way round. Cells may carry their value.
for (const table of document.querySelectorAll('table.sort')) {
  const heads = [...table.tHead.rows[0].cells];
  const value = (row, at) => row.cells[at].dataset.value ?? row.cells[at].textContent;
  heads.forEach((head, at) => {
    if (head.classList.contains('fixed')) return;
    const sort = () => {
      const down = head.ariaSort === 'ascending';
      for (const other of heads) other.ariaSort = null;
      head.ariaSort = down ? 'descending' : 'ascending';
      const rows = [...table.tBodies[0].rows];
      rows.sort((a, b) => value(a, at).localeCompare(value(b, at), 'en', { numeric: false }));
      if (rows.every(row => row.cells[at].dataset.value !== undefined)) {
        rows.sort((a, b) => value(a, at) - value(b, at));
      }
      if (down) rows.reverse();
      table.tBodies[0].append(...rows);
    };
    head.tabIndex = 0;
    head.addEventListener('click', sort);
    head.addEventListener('keydown', event => { if (event.key === 'Enter') sort(); });
  });
}
