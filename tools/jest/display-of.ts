const noRules = /\/\*[\s\S]*?\*\/|@namespace[^;]*;/g;
const rules = /([^{}]+)\{([^{}]*)\}/g;

/**
 * Leaves of the browser's own styles what says how an element shows: nothing else of them is asked in tests. jsdom tries each
 * rule on each element that is looked at, again after every change of the page.
 */
export function displayOf(styles: string): string {
  const tags = new Map<string, string[]>();
  const others: string[] = [];
  for (const [, selectors = '', body = ''] of styles.replaceAll(noRules, '').matchAll(rules)) {
    const [display] = /(?<![\w-])display:\s*[\w-]+/.exec(body) ?? [];
    if (!display) continue;
    for (const selector of selectors.split(',').map((each) => each.trim()))
      if (/^\w+$/.test(selector)) tags.set(display, [...(tags.get(display) ?? []), selector]);
      else others.push(`${selector} { ${display} }`);
  }
  return [...[...tags].map(([display, names]) => `${names.join(', ')} { ${display} }`), ...others].join('\n');
}
