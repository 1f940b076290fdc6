/** Of the page: read on a screen, in either scheme, and printed in black on white. */
export const style = `
:root { color-scheme: light dark; --ink: #16181d; --dim: #5b6270; --line: #d5d9e0; --paper: #fff; --mark: #1f5fbf; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8eaee; --dim: #9aa2b1; --line: #333945; --paper: #14161b; --mark: #7fb0ff; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 1.5rem 1rem 3rem; background: var(--paper); color: var(--ink);
  font: 14px/1.5 system-ui, sans-serif; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; margin: 0; } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; } h3 { font-size: .95rem; margin: 1rem 0 .25rem; }
p { margin: .25rem 0; } .note, .receipt, footer { color: var(--dim); font-size: .8rem; }
.receipt { display: block; font: .7rem/1.3 ui-monospace, monospace; }
.preview { border: 1px solid currentColor; padding: .5rem .75rem; margin: 1rem 0; font-weight: 600; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem .3rem 0; border-top: 1px solid var(--line); font-weight: 400; }
thead th { color: var(--dim); font-size: .8rem; border-top: 0; }
td.figure, th.figure { text-align: right; padding-right: 0; padding-left: .6rem; overflow-wrap: normal; }
svg { display: block; width: 100%; height: auto; }
.ends { display: flex; justify-content: space-between; gap: 1rem; color: var(--dim); font-size: .8rem; }
.line { fill: none; stroke: var(--mark); stroke-width: 1.5; } .axis { stroke: var(--line); }
@page { size: A4; margin: 14mm; }
@media print {
  :root { color-scheme: light; --ink: #000; --dim: #444; --line: #bbb; --paper: #fff; --mark: #1f5fbf; }
  body { max-width: none; padding: 0; font-size: 10pt; }
  .scroll { overflow: visible; }
  h2, h3, thead { break-after: avoid; } tr, svg, .preview { break-inside: avoid; }
}
`;
