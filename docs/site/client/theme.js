// Runs before the first paint, as a file of its own because the content policy allows no inline script. The dashboard keeps the choice.
(() => {
  let choice = 'system';
  try {
    choice = localStorage.getItem('castellan_theme') ?? 'system';
  } catch {
    choice = 'system';
  }
  const light = choice === 'light' || (choice !== 'dark' && matchMedia('(prefers-color-scheme: light)').matches);
  document.documentElement.dataset.theme = light ? 'light' : 'dark';
})();
