/** What the browser runs when it comes back: it takes the answer out of the address before anything else, and hands it over. */
const script = `const text = document.querySelector('p');
const answer = decodeURIComponent(location.hash.slice(1));
history.replaceState(null, '', '/');
const say = (words) => { text.textContent = words; };
if (answer === '') say('Nothing to hand over. Run castellan login --browser again.');
else fetch('/answer', { method: 'POST', headers: { 'content-type': 'application/json' }, body: answer }).then(
  ({ ok }) => say(ok ? 'Signed in. You may close this page and go back to the terminal.' : 'The terminal did not take it, and says why.'),
  () => say('The terminal does not listen any more. Run castellan login --browser again.'),
);`;

/** The page that hands over what was signed, and the policy that lets it do nothing else. */
export function handOverPage(nonce: string): { html: string; headers: Record<string, string> } {
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    "connect-src 'self'",
    // Else the browser asks for an icon that is not there.
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    html: `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<link rel="icon" href="data:,">
<title>castellan login</title>
<h1>castellan login</h1>
<p role="status">One moment.</p>
<script nonce="${nonce}">${script}</script>
</html>
`,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy.join('; '),
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
    },
  };
}
