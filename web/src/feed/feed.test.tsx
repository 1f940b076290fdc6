import '../../test/browser.ts';
import { describe, expect, jest, test } from '@jest/globals';
import { act, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { aFeedItem, aFeedPage } from '../../test/ai.ts';
import { anAddress } from '../../test/builders.ts';
import { fakeApi, renderPage } from '../../test/harness.tsx';
import { aShown, refusal } from '../../test/shown.ts';
import type { Role } from '../users/access.ts';
import FeedCard from './feed-card.tsx';
import { safeLink } from './feed-labels.ts';
import { FeedPage } from './feed-page.tsx';

const self = anAddress(0x10);
type Answers = Parameters<typeof fakeApi>[0];
const card = (answers: Answers = {}, address?: string) =>
  renderPage(<FeedCard shown={aShown({ my_role: address === undefined ? null : 'view_only' })} />, {
    api: fakeApi({ feed: async () => aFeedPage([aFeedItem(2), aFeedItem(1)]), ...answers }),
    ...(address === undefined ? {} : { address }),
  });
const page = (my_role: Role, answers: Answers = {}, url = '/') =>
  renderPage(<FeedPage shown={aShown({ my_role })} />, {
    api: fakeApi({ feed: async () => aFeedPage([aFeedItem(2), aFeedItem(1)]), ...answers }),
    address: self,
    url,
  });

describe('feed card', () => {
  test('default: anybody reads the newest, with severity in icon and word', async () => {
    const critical = aFeedItem(3, { severity: 'critical', kind: 'pause', title: 'The vault was paused', author: null });
    await card({ feed: async () => aFeedPage([critical, aFeedItem(2)]) });
    const entry = await screen.findByRole('article', { name: 'The vault was paused' });
    expect(within(entry).getByText('Critical').querySelector('svg')).toBeTruthy();
    expect(within(entry).getByText('Pause')).toBeTruthy();
    expect(screen.queryByRole('link', { name: 'Open the whole feed' })).toBeNull();
    expect(screen.queryByRole('button', { name: /Edit|Delete|Write/ })).toBeNull();
  });

  test('behavior: a kind is asked of the server, and more follows where the page ended', async () => {
    const feed = jest.fn(async ({ query }: { query: { cursor?: string } }) =>
      query.cursor === 'next' ? aFeedPage([aFeedItem(2), aFeedItem(1)]) : aFeedPage([aFeedItem(2)], 'next'),
    );
    await card({ feed }, self);
    await userEvent.click(await screen.findByRole('button', { name: 'Show more' }));
    expect(await screen.findByText('Post 1')).toBeTruthy();
    expect(screen.getAllByRole('article')).toHaveLength(2);
    await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Kind' }), 'skim');
    await waitFor(() =>
      expect(feed).toHaveBeenLastCalledWith(expect.objectContaining({ query: { limit: '5', kind: 'skim' } })),
    );
    expect(screen.getByRole('link', { name: 'Open the whole feed' }).getAttribute('href')).toBe(
      `/operate/devnet/${anAddress(1)}/feed`,
    );
  });

  test('behavior: a page of the past reads nothing that came later', async () => {
    const feed = jest.fn(async (_input: unknown) => aFeedPage([]));
    const at = '2025-12-24T18:00:00.000Z';
    await renderPage(<FeedCard shown={aShown()} />, { api: fakeApi({ feed }), url: `/?at=${at}` });
    expect(await screen.findByText('Nothing in the feed yet')).toBeTruthy();
    expect(feed).toHaveBeenCalledWith(expect.objectContaining({ query: { limit: '5', to: at } }));
  });

  test('default: before anything happened it says what will appear', async () => {
    await card({ feed: async () => aFeedPage([]) });
    expect(await screen.findByText('Nothing in the feed yet')).toBeTruthy();
  });

  test('error: an unreadable feed says so with the request', async () => {
    await card({
      feed: async () => {
        throw refusal('SERVICE_UNAVAILABLE', 503);
      },
    });
    expect(await screen.findByText('The feed could not be read')).toBeTruthy();
    expect(screen.getByText('req-1')).toBeTruthy();
  });
});

describe('what people wrote', () => {
  const nasty = [
    '<script>window.hacked = 1</script>',
    '<img src=x onerror="window.hacked = 1">',
    '[a](javascript:alert(1)) ![b](https://evil.example/x.png)',
    '<a href="javascript:alert(1)">c</a>',
  ].join('\n');

  test('behavior: markup in a title or text is shown as text, with its line breaks', async () => {
    const { container } = await card({
      feed: async () => aFeedPage([aFeedItem(1, { title: '<b>x</b>', body: nasty })]),
    });
    const entry = await screen.findByRole('article');
    expect(entry.textContent).toContain(nasty);
    expect(within(entry).getByText('<b>x</b>')).toBeTruthy();
    expect(container.querySelector('script, img, b, a[href^="javascript"]')).toBeNull();
    expect(within(entry).queryByRole('link')).toBeNull();
  });

  test('behavior: only http and https links are links, with their host in sight', async () => {
    const links = [
      { label: 'Report', url: 'https://example.org/report' },
      ...[
        'javascript:alert(1)',
        'data:text/html,x',
        'vbscript:x',
        '//evil.example',
        'https://bank.example@evil.example/',
      ].map((url, index) => ({ label: `Bad ${index}`, url })),
    ];
    await card({ feed: async () => aFeedPage([aFeedItem(1, { links })]) });
    const link = await screen.findByRole('link', { name: /Report/ });
    expect(link.textContent).toContain('(example.org)');
    expect(link.getAttribute('rel')).toBe('noopener noreferrer nofollow ugc');
    expect(within(screen.getByRole('article')).getAllByRole('link')).toHaveLength(1);
    expect(safeLink('HTTPS://Example.org')?.host).toBe('example.org');
  });

  test('behavior: an event leads to its section of the vault, and a path that looks like one does not', async () => {
    const page = `/managed-vaults/devnet/${anAddress(1)}`;
    const links = [`${page}/fees`, `${page}/../../operate`, '/operate/review/x'].map((url) => ({ label: url, url }));
    await card({ feed: async () => aFeedPage([aFeedItem(1, { kind: 'skim', links })]) });
    const found = within(await screen.findByRole('article')).getAllByRole('link');
    expect(found.map((link) => link.getAttribute('href'))).toEqual([`${page}/fees`]);
  });
});

describe('feed page', () => {
  test('behavior: the filter of the URL is what the server is asked', async () => {
    const feed = jest.fn(async (_input: unknown) => aFeedPage([]));
    await page('view_only', { feed }, '/?kind=post&severity=warning&from=2026-01-01&to=2026-01-02');
    expect(await screen.findByText('Nothing matches')).toBeTruthy();
    expect(feed).toHaveBeenCalledWith({
      params: { chain_id: '31337', vault_address: anAddress(1) },
      query: {
        limit: '25',
        kind: 'post',
        severity: 'warning',
        from: '2026-01-01T00:00:00.000Z',
        to: '2026-01-02T23:59:59.999Z',
      },
    });
  });

  test('behavior: days in the wrong order ask nothing', async () => {
    const feed = jest.fn(async () => aFeedPage([]));
    const { where } = await page('view_only', { feed }, '/?from=2026-01-03&to=2026-01-02');
    expect(await screen.findByText('The first day is after the last.')).toBeTruthy();
    expect(feed).not.toHaveBeenCalled();
    await userEvent.click(screen.getByRole('button', { name: 'Clear filters' }));
    expect(where.search).toBe('');
    expect(await screen.findByText('Nothing in the feed yet')).toBeTruthy();
  });

  test('behavior: a viewer reads and cannot write; events have no edit even for a manager', async () => {
    const { unmount } = await page('view_only');
    expect(await screen.findByText('Post 2')).toBeTruthy();
    expect(screen.queryByRole('button', { name: /Write|Edit|Delete/ })).toBeNull();
    unmount();
    await page('secondary_manager', { feed: async () => aFeedPage([aFeedItem(1, { kind: 'skim' })]) });
    expect(await screen.findByText('Post 1')).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Write a post' })).toBeTruthy();
    expect(screen.queryByRole('button', { name: /Edit|Delete/ })).toBeNull();
  });
});

describe('another manager’s post', () => {
  const foreign = async () =>
    aFeedPage([aFeedItem(1, { author: { wallet_address: anAddress(0x77), display_name: null } })]);

  test('behavior: the primary manager may delete it and not edit it', async () => {
    await page('primary_manager', { feed: foreign });
    expect(await screen.findByRole('button', { name: 'Delete Post 1' })).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Edit Post 1' })).toBeNull();
  });

  test('behavior: a secondary manager may do neither', async () => {
    await page('secondary_manager', { feed: foreign });
    expect(await screen.findByText('Post 1')).toBeTruthy();
    expect(screen.queryByRole('button', { name: /Edit|Delete/ })).toBeNull();
  });
});

describe('writing', () => {
  const field = (name: string) => screen.getByRole<HTMLInputElement>('textbox', { name });

  test('default: a manager writes a post', async () => {
    const createPost = jest.fn(async (_input: unknown) => aFeedItem(9));
    await page('primary_manager', { createPost });
    await userEvent.click(await screen.findByRole('button', { name: 'Write a post' }));
    await userEvent.type(field('Title'), ' Maintenance ');
    await userEvent.type(field('Text'), 'Tonight.{Enter}Two lines.');
    await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Severity', hidden: false }), 'warning');
    await userEvent.click(screen.getByRole('button', { name: 'Publish' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(createPost).toHaveBeenCalledWith({
      params: { chain_id: '31337', vault_address: anAddress(1) },
      body: { title: 'Maintenance', body: 'Tonight.\nTwo lines.', severity: 'warning' },
    });
  });

  test('behavior: Escape takes nothing of what was typed; the dialog is left by its button, after a question', async () => {
    await page('primary_manager');
    await userEvent.click(await screen.findByRole('button', { name: 'Write a post' }));
    await userEvent.type(field('Title'), 'Maintenance');
    await userEvent.keyboard('{Escape}');
    expect(field('Title').value).toBe('Maintenance');
    act(() => screen.getByRole('button', { name: 'Close' }).focus());
    await userEvent.keyboard('{Enter}');
    expect((await screen.findByRole('dialog', { name: 'Leave without saving?' })).textContent).toContain('the post');
    await userEvent.click(screen.getByRole('button', { name: 'Stay' }));
    expect((await screen.findByRole<HTMLInputElement>('textbox', { name: 'Title' })).value).toBe('Maintenance');
    await userEvent.click(screen.getByRole('button', { name: 'Close' }));
    await userEvent.click(await screen.findByRole('button', { name: 'Leave and lose it' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });

  test('behavior: a post in which nothing was typed is closed at once', async () => {
    await page('primary_manager');
    await userEvent.click(await screen.findByRole('button', { name: 'Edit Post 1' }));
    await userEvent.click(screen.getByRole('button', { name: 'Close' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });

  test('behavior: an empty post is refused before anything is sent', async () => {
    await page('primary_manager');
    await userEvent.click(await screen.findByRole('button', { name: 'Write a post' }));
    await userEvent.click(screen.getByRole('button', { name: 'Publish' }));
    expect(screen.getByText('The title must be 1 to 140 characters.')).toBeTruthy();
    expect(screen.getByText('The text must be 1 to 4000 characters.')).toBeTruthy();
  });

  test('behavior: of two editors the later keeps the text, sees the other, and overwrites only when asked to', async () => {
    const post = { title: 'Post 1', version: 1 };
    const editPost = jest.fn(async ({ body }: { params: unknown; body: { title?: string; version: number } }) => {
      if (body.version !== post.version) throw refusal('VERSION_CONFLICT', 409);
      Object.assign(post, { title: body.title, version: post.version + 1 });
      return aFeedItem(1, post);
    });
    await page('primary_manager', { feed: async () => aFeedPage([aFeedItem(1, post)]), editPost });
    await userEvent.click(await screen.findByRole('button', { name: 'Edit Post 1' }));
    await userEvent.clear(field('Title'));
    await userEvent.type(field('Title'), 'Mine');
    Object.assign(post, { title: 'Theirs', version: 2 });
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    expect(await screen.findByText('Someone else changed the post meanwhile')).toBeTruthy();
    expect(within(screen.getByRole('dialog')).getByText('Theirs')).toBeTruthy();
    expect(field('Title').value).toBe('Mine');
    expect(post.title).toBe('Theirs');
    await userEvent.click(screen.getByRole('button', { name: 'Save mine anyway' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(post).toEqual({ title: 'Mine', version: 3 });
    expect(await screen.findByText('Mine')).toBeTruthy();
  });

  test('error: a refused save keeps what was typed', async () => {
    await page('primary_manager', {
      createPost: async () => {
        throw refusal('ROLE_REQUIRED', 403);
      },
    });
    await userEvent.click(await screen.findByRole('button', { name: 'Write a post' }));
    await userEvent.type(field('Title'), 'T');
    await userEvent.type(field('Text'), 'B');
    await userEvent.click(screen.getByRole('button', { name: 'Publish' }));
    expect(await screen.findByText('The post was not saved')).toBeTruthy();
    expect([field('Title').value, field('Text').value]).toEqual(['T', 'B']);
  });

  test('behavior: a post is deleted only after it was confirmed', async () => {
    const deletePost = jest.fn(async (_input: unknown) => null);
    await page('secondary_manager', { deletePost });
    await userEvent.click(await screen.findByRole('button', { name: 'Delete Post 1' }));
    expect(deletePost).not.toHaveBeenCalled();
    await userEvent.click(screen.getByRole('button', { name: 'Delete the post' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(deletePost).toHaveBeenCalledWith({
      params: { chain_id: '31337', vault_address: anAddress(1), id: 'item-1' },
    });
  });
});
