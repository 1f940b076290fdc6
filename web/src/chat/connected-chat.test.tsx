import '../../test/browser.ts';
import { formulasVersion } from '@castellan/contracts';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { act, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { anAddress, aVault } from '../../test/builders.ts';
import { aSocket, aStored } from '../../test/chat.ts';
import { fakeApi, renderPage } from '../../test/harness.tsx';
import { keys } from '../data/queries.ts';
import { openOverlay } from '../navigation/overlay.ts';
import { Shortcuts } from '../palette/shortcuts.tsx';
import { ChatDock } from './chat-dock.tsx';
import { closeChat } from './open.ts';
import { SocketContext } from './use-chat.ts';

const self = anAddress(0x10);
const address = anAddress(1);
const at = `/operate/devnet/${address}`;
const path = '/operate/:chainName/:vaultAddress';

beforeEach(() => {
  Object.assign(globalThis, {
    matchMedia: () => ({ matches: false, addEventListener: jest.fn(), removeEventListener: jest.fn() }),
  });
});
afterEach(() => {
  act(() => {
    closeChat();
    openOverlay('none');
  });
  localStorage.clear();
});

type Answers = Parameters<typeof fakeApi>[0];
async function page(answers: Answers = {}, my_role: 'view_only' | null = 'view_only') {
  const wire = aSocket();
  const view = await renderPage(
    <SocketContext value={wire.open}>
      <input aria-label="A field of the page" />
      <ChatDock />
      <Shortcuts />
    </SocketContext>,
    {
      api: fakeApi({ publicVaults: async () => [], myVaults: async () => ({ vaults: [] }), ...answers }),
      address: self,
      path,
      url: at,
    },
  );
  act(() => {
    view.queries.setQueryData(keys.vault(self.toLowerCase(), 31337, address), aVault({ my_role }));
  });
  /** What comes over the wire, as React sees it. */
  const receive = (say: (wire: ReturnType<typeof aSocket>) => void) => act(() => say(wire));
  return { ...view, wire, receive };
}
async function opened(answers: Answers = {}) {
  const view = await page(answers);
  await userEvent.click(await screen.findByRole('button', { name: 'Ask about this vault' }));
  const pane = await screen.findByRole('complementary', { name: 'Ask about this vault' });
  view.receive((wire) => wire.up());
  return { ...view, pane };
}
const field = () => screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Your question' });
async function asked(answers: Answers = {}) {
  const view = await opened(answers);
  await userEvent.type(field(), 'Why?{Enter}');
  view.receive((wire) => wire.start());
  return view;
}
const live = () => document.querySelector('[aria-live="polite"].sr-only');

describe('the pane', () => {
  test('default: suggested questions are asked with a press, the answer streams, and is announced once it ended', async () => {
    const { wire, receive } = await opened();
    await userEvent.click(screen.getByRole('button', { name: 'How is the risk?' }));
    expect(wire.sent).toEqual([
      ['chat:send', { chain_id: 31337, vault_address: address, message: 'How is the risk?' }],
    ]);
    receive((wire) => {
      wire.start();
      wire.token(0, 'It is **low**');
    });
    expect(screen.getByText('low').tagName).toBe('STRONG');
    expect(live()?.textContent).toBe('');
    receive((wire) => {
      wire.token(1, ' today.');
      wire.done(2);
    });
    expect(live()?.textContent).toBe('Answer: It is low today.');
    expect(screen.getByText(/built-in analyst: rules, no language model/)).toBeTruthy();
  });

  test('behavior: Enter sends and keeps the focus, Shift and Enter begin a line, nothing is sent while an answer comes', async () => {
    const { wire, receive } = await opened();
    expect(document.activeElement).toBe(field());
    await userEvent.keyboard('Why{Shift>}{Enter}{/Shift}so?{Enter}');
    expect(wire.sent[0]?.[1]).toMatchObject({ message: 'Why\nso?' });
    expect(document.activeElement).toBe(field());
    expect(field().value).toBe('');
    receive((wire) => wire.start());
    await userEvent.keyboard('Next{Enter}');
    expect(wire.sent).toHaveLength(1);
    expect(field().value).toBe('Next');
  });

  test('behavior: Escape closes and gives the focus back; what was typed and said is there again', async () => {
    const { receive } = await asked();
    await userEvent.type(field(), 'half a question');
    await userEvent.keyboard('{Escape}');
    expect(screen.queryByRole('complementary')).toBeNull();
    await waitFor(() =>
      expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Ask about this vault' })),
    );
    receive((wire) => {
      wire.token(0, 'Because.');
      wire.done(1);
    });
    expect(live()?.textContent).toBe('Answer: Because.');
    await userEvent.click(screen.getByRole('button', { name: 'Ask about this vault' }));
    expect(screen.getByText('Because.')).toBeTruthy();
    expect(field().value).toBe('half a question');
  });

  test('behavior: tool calls are shown with arguments and duration, failed ones as such', async () => {
    const { receive } = await asked();
    const ids = { conversation_id: 'c1', message_id: 'm1' };
    receive((wire) => {
      wire.emit('chat:tool', { ...ids, name: 'simulate_run', args: { top_holders: 5 }, ms: 240.4, ok: true });
      wire.emit('chat:tool', { ...ids, name: 'get_risk', args: {}, ms: 1_500, ok: false });
    });
    const calls = within(screen.getByRole('list', { name: 'What was looked at' })).getAllByRole('listitem');
    expect(calls[0]?.textContent).toContain('Simulate run240 ms');
    expect(calls[0]?.textContent).toContain('"top_holders": 5');
    expect(calls[1]?.textContent).toContain('failed, 1.5 s');
  });

  test('behavior: citations open receipts, untraced figures are marked, the answer can be copied and asked again', async () => {
    const analyticsOverview = jest.fn(async (_input: unknown) => ({
      as_of: '2026-01-02T09:59:00.000Z',
      block_number: 90,
      quality: {},
      receipts: {},
    }));
    const { wire, receive } = await asked({ analyticsOverview });
    receive((wire) => {
      wire.token(0, 'APY is 4.2 %, or 99 %.');
      wire.done(1, {
        citations: [{ metric: 'APY over 7 days', path: 'overview.apy.d7', value: 0.042 }],
        ungrounded_figures: [{ section: 'answer', figure: '99 %', context: 'or 99 %' }],
      });
    });
    expect(document.querySelector('mark')?.textContent).toBe('99% (not traced to a figure)');
    expect(screen.getByText('One figure is not traced')).toBeTruthy();
    const copied = jest.fn(async (_text: string) => undefined);
    Object.defineProperty(navigator, 'clipboard', { configurable: true, value: { writeText: copied } });
    await userEvent.click(screen.getByRole('button', { name: 'Copy answer' }));
    expect(copied).toHaveBeenCalledWith('APY is 4.2 %, or 99 %.');
    await userEvent.click(screen.getByRole('button', { name: 'Ask this again' }));
    expect(wire.sent.at(-1)).toEqual([
      'chat:send',
      { chain_id: 31337, vault_address: address, conversation_id: 'c1', message: 'Why?' },
    ]);
    await userEvent.click(screen.getByRole('button', { name: 'Receipt of APY over 7 days' }));
    expect(await screen.findByRole('dialog', { name: 'Receipt: APY over 7 days' })).toBeTruthy();
    expect(analyticsOverview).toHaveBeenCalledWith(expect.objectContaining({ query: { receipt: 'apy.d7' } }));
  });

  test('behavior: stop ends the answer and says so', async () => {
    const { wire, receive } = await asked();
    receive((wire) => wire.token(0, 'Beca'));
    await userEvent.click(screen.getByRole('button', { name: 'Stop the answer' }));
    expect(wire.sent.at(-1)?.[0]).toBe('chat:stop');
    receive((wire) => wire.done(1, { status: 'stopped' }));
    expect(screen.getByText('You stopped this answer.')).toBeTruthy();
    expect(document.activeElement).toBe(field());
  });
});

describe('what goes wrong', () => {
  test('error: a rate limit says for how long, and another try waits for it', async () => {
    const { receive } = await opened();
    await userEvent.type(field(), 'Why?{Enter}');
    receive((wire) =>
      wire.error('RATE_LIMITED', { detail: 'You asked 20 times in a minute.', retry_after_seconds: 1 }),
    );
    expect(screen.getByRole('alert').textContent).toContain('You asked 20 times in a minute.');
    expect(screen.getByText('You can try again in 1 s.')).toBeTruthy();
    const again = screen.getByRole('button', { name: 'Try again' });
    expect(again.hasAttribute('disabled')).toBe(true);
    await waitFor(() => expect(again.hasAttribute('disabled')).toBe(false));
  });

  test('error: an expired session asks to sign in again and keeps the conversation, which then goes on', async () => {
    const { wire, receive, session } = await asked();
    receive((wire) => {
      wire.token(0, 'Beca');
      wire.error('TOKEN_EXPIRED');
      wire.down(true);
    });
    expect(session.get().status).toBe('ended');
    expect(screen.getByText('The conversation is kept and goes on once you are signed in again.')).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Sign in again' })).toBeTruthy();
    expect(screen.getByText('Beca')).toBeTruthy();
    act(() => session.begin({ token: 'two', address: self, isManager: true, vaults: [] }));
    receive((wire) => wire.up());
    expect(wire.sent.at(-1)).toEqual(['chat:resume', { conversation_id: 'c1', message_id: 'm1', after_seq: 0 }]);
    receive((wire) => {
      wire.token(1, 'use.');
      wire.done(2);
    });
    expect(screen.getByText('Because.')).toBeTruthy();
  });

  test('error: a lost connection is said in words and leaves what was said', async () => {
    const { receive } = await asked();
    receive((wire) => {
      wire.token(0, 'Beca');
      wire.down();
    });
    expect(screen.getByText('The connection is lost. It is tried again by itself.')).toBeTruthy();
    expect(screen.getByText('Beca')).toBeTruthy();
  });

  test('error: a failed answer says why and can be asked again', async () => {
    const { wire, receive } = await asked();
    receive((wire) => {
      wire.error('MODEL_UNAVAILABLE', { conversation_id: 'c1', message_id: 'm1', detail: 'The model is away.' });
      wire.done(0, { status: 'failed' });
    });
    expect(screen.getByText('This answer is not complete')).toBeTruthy();
    expect(live()?.textContent).toBe('The answer is not complete. The model is away.');
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
    expect(wire.sent.at(-1)?.[0]).toBe('chat:send');
  });
});

describe('conversations', () => {
  const conversations = async () => ({
    conversations: [
      {
        id: 'c7',
        chain_id: 31337,
        vault_address: address,
        title: '<b>Why</b> did it fall?',
        created_at: '2026-01-01T00:00:00.000Z',
        updated_at: '2026-01-01T01:00:00.000Z',
        messages: 2,
      },
    ],
    total: 1,
    has_more: false,
    next_cursor: null,
  });
  const conversation = async () => ({
    id: 'c7',
    messages: [
      aStored('q1', 'user', '<img src=x> Why?'),
      aStored('a1', 'assistant', 'Because.', { citations: [{ metric: 'APY', path: 'overview.apy.d7', value: 1 }] }),
    ],
  });

  test('default: an earlier one is opened and goes on; its receipts are of then', async () => {
    const analyticsOverview = jest.fn(async (_input: unknown) => ({
      as_of: '2026-01-01T00:00:00.000Z',
      block_number: 9,
      quality: {},
      receipts: {},
    }));
    const { wire, pane } = await opened({ conversations, conversation, analyticsOverview });
    await userEvent.click(screen.getByRole('button', { name: 'Your conversations' }));
    await userEvent.click(await screen.findByRole('button', { name: /^<b>Why<\/b> did it fall\?/ }));
    expect(await screen.findByText('Because.')).toBeTruthy();
    expect(screen.getByText('<img src=x> Why?')).toBeTruthy();
    expect(pane.querySelector('img, b')).toBeNull();
    expect(live()?.textContent).toBe('');
    await userEvent.type(field(), 'And now?{Enter}');
    expect(wire.sent.at(-1)?.[1]).toMatchObject({ conversation_id: 'c7', message: 'And now?' });
    await userEvent.click(screen.getByRole('button', { name: 'Receipt of APY' }));
    await waitFor(() =>
      expect(analyticsOverview).toHaveBeenCalledWith(
        expect.objectContaining({ query: { at: '2026-01-01T00:00:00.000Z', receipt: 'apy.d7', v: formulasVersion } }),
      ),
    );
  });

  test('behavior: one is deleted only after it was confirmed', async () => {
    const deleteConversation = jest.fn(async (_input: unknown) => null);
    await opened({ conversations, conversation, deleteConversation });
    await userEvent.click(screen.getByRole('button', { name: 'Your conversations' }));
    await userEvent.click(await screen.findByRole('button', { name: /^Delete / }));
    expect(deleteConversation).not.toHaveBeenCalled();
    await userEvent.click(screen.getByRole('button', { name: 'Delete' }));
    await waitFor(() => expect(deleteConversation).toHaveBeenCalledWith({ params: { id: 'c7' } }));
  });
});

describe('where it is', () => {
  test('behavior: those without a role have none', async () => {
    await page({}, null);
    expect(screen.queryByRole('button', { name: 'Ask about this vault' })).toBeNull();
  });

  test('behavior: a opens it where nobody types, and so does the palette', async () => {
    await page();
    await screen.findByRole('button', { name: 'Ask about this vault' });
    await userEvent.click(screen.getByRole('textbox', { name: 'A field of the page' }));
    await userEvent.keyboard('a');
    expect(screen.queryByRole('complementary')).toBeNull();
    await userEvent.click(document.body);
    await userEvent.keyboard('a');
    expect(await screen.findByRole('complementary')).toBeTruthy();
    await userEvent.click(screen.getByRole('button', { name: 'Close the chat' }));
    await userEvent.keyboard('{Control>}k{/Control}');
    await userEvent.click(await screen.findByRole('menuitem', { name: /Ask about this vault/ }));
    expect(await screen.findByRole('complementary')).toBeTruthy();
  });

  test('behavior: it is docked beside the page or floats over it, as it was left', async () => {
    const { unmount } = await opened();
    expect(screen.getByRole('complementary').className).not.toContain('min-[1100px]:static');
    await userEvent.click(screen.getByRole('button', { name: 'Dock or float the chat' }));
    expect(screen.getByRole('complementary').className).toContain('min-[1100px]:static');
    unmount();
    await opened();
    expect(screen.getByRole('complementary').className).toContain('min-[1100px]:static');
  });

  test('behavior: at 390 px it is a sheet over the whole page that keeps the focus inside; Escape closes it', async () => {
    Object.assign(globalThis, {
      matchMedia: (query: string) => ({
        matches: query === '(max-width: 639px)',
        addEventListener: jest.fn(),
        removeEventListener: jest.fn(),
      }),
    });
    await page();
    await userEvent.click(await screen.findByRole('button', { name: 'Ask about this vault' }));
    const sheet = await screen.findByRole('dialog', { name: 'Ask about this vault' });
    expect(screen.queryByRole('complementary')).toBeNull();
    expect(screen.queryByRole('button', { name: 'Dock or float the chat' })).toBeNull();
    expect(screen.queryByRole('textbox', { name: 'A field of the page' })).toBeNull();
    for (let step = 0; step < 12; step += 1) {
      await userEvent.tab();
      expect(sheet.contains(document.activeElement)).toBe(true);
    }
    await userEvent.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });
});
