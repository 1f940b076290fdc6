import '../../test/browser.ts';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { anAddress } from '../../test/builders.ts';
import { aSocket, aStored } from '../../test/chat.ts';
import { type ChatPorts, createChat } from './connection.ts';

const vault = { chain_id: 31337, vault_address: anAddress(1) };
beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

function open(api: Partial<Record<keyof ChatPorts['api'], unknown>> = {}) {
  const wire = aSocket();
  const session: { token: string | undefined } = { token: 'one' };
  const onSignedOut = jest.fn(() => {
    session.token = undefined;
  });
  const client = createChat(vault, {
    api: api as ChatPorts['api'],
    open: wire.open,
    token: () => session.token,
    onSignedOut,
  });
  client.connect();
  wire.up();
  return { ...wire, client, session, onSignedOut, chat: () => client.get() };
}

/** With an answer under way. */
function asked(api = {}) {
  const view = open(api);
  view.client.ask('Why?');
  view.start();
  return view;
}
const resume = (after_seq: number) => ['chat:resume', { conversation_id: 'c1', message_id: 'm1', after_seq }];
const stop = ['chat:stop', { conversation_id: 'c1', message_id: 'm1' }];
const lastOf = ({ chat }: ReturnType<typeof open>) => chat().messages.at(-1);

describe('an answer', () => {
  test('default: it is asked for, comes token by token and ends with what it rests on', () => {
    const view = asked();
    expect(view.sent).toEqual([['chat:send', { ...vault, message: 'Why?' }]]);
    view.token(0, 'Because ');
    expect(view.chat().answer?.text).toBe('Because ');
    view.token(1, 'of fees.');
    view.done(2, { citations: [{ metric: 'fee', path: 'fees.total', value: 1 }] });
    expect(view.chat().answer).toBeNull();
    expect(view.chat().messages.map(({ id, text }) => [id, text])).toEqual([
      ['q-m1', 'Why?'],
      ['m1', 'Because of fees.'],
    ]);
    expect(lastOf(view)?.citations).toHaveLength(1);
    view.client.ask('And?');
    expect(view.sent.at(-1)).toEqual(['chat:send', { ...vault, conversation_id: 'c1', message: 'And?' }]);
  });

  test('behavior: a gap is asked about once, what came early is kept, and no token is shown twice', () => {
    const view = asked();
    view.token(0, 'a');
    view.token(2, 'c');
    view.token(3, 'd');
    expect(view.sent.slice(1)).toEqual([resume(0)]);
    expect(view.chat().answer?.text).toBe('a');
    view.token(1, 'b');
    expect(view.chat().answer?.text).toBe('abcd');
    view.token(2, 'c');
    view.token(0, 'a');
    expect(view.chat().answer).toMatchObject({ text: 'abcd', isResuming: false });
    view.token(5, 'f');
    expect(view.sent.slice(1)).toEqual([resume(0), resume(3)]);
  });

  test('behavior: an end with tokens missing waits for them', () => {
    const view = asked();
    view.token(0, 'a');
    view.done(3);
    expect(view.sent.slice(1)).toEqual([resume(0)]);
    expect(view.chat().answer).not.toBeNull();
    view.token(1, 'b');
    view.token(2, 'c');
    expect(lastOf(view)).toMatchObject({ text: 'abc', status: 'complete' });
    view.done(3);
    expect(view.chat().messages).toHaveLength(2);
  });

  test('behavior: of other answers and of malformed messages nothing is taken', () => {
    const view = asked();
    view.token(0, 'x', 'other');
    view.emit('chat:token', { seq: 'zero' });
    view.emit('chat:done', null);
    expect(view.chat().answer).toMatchObject({ text: '', next: 0 });
  });

  test('behavior: a tool call that arrives twice stays one', () => {
    const view = asked();
    const call = {
      conversation_id: 'c1',
      message_id: 'm1',
      name: 'get_risk',
      args: { chain_id: 1 },
      ms: 12.5,
      ok: true,
    };
    view.emit('chat:tool', call);
    view.emit('chat:tool', call);
    view.emit('chat:tool', { ...call, ms: 13 });
    expect(view.chat().answer?.tools).toHaveLength(2);
  });

  test('behavior: stop is sent, also where it was pressed before the answer began', () => {
    const view = asked();
    view.client.stop();
    expect(view.sent.at(-1)).toEqual(stop);
    view.token(0, 'Beca');
    view.done(1, { status: 'stopped' });
    expect(lastOf(view)).toMatchObject({ text: 'Beca', status: 'stopped', problem: null });
    const early = open();
    early.client.ask('Why?');
    early.client.stop();
    early.start();
    expect(early.sent.at(-1)).toEqual(stop);
  });
});

describe('a lost connection', () => {
  test('behavior: it goes on behind the last token, without loss or repetition', () => {
    const view = asked();
    view.token(0, 'a');
    view.token(1, 'b');
    view.down();
    expect(view.chat().link).toBe('lost');
    view.up();
    expect(view.sent.slice(1)).toEqual([resume(1)]);
    for (const [seq, text] of [...'abcd'].entries()) view.token(seq, text);
    view.done(4);
    expect(lastOf(view)).toMatchObject({ text: 'abcd', status: 'complete' });
  });

  test('behavior: a stop that could not be sent is sent once it can', () => {
    const view = asked();
    view.down();
    view.client.stop();
    expect(view.sent).toHaveLength(1);
    view.up();
    expect(view.sent.slice(1)).toEqual([resume(-1), stop]);
  });

  test('behavior: what is asked without a connection is sent once there is one', () => {
    const view = open();
    view.down();
    view.client.ask('Why?');
    expect(view.sent).toEqual([]);
    expect(view.chat().pending?.phase).toBe('waiting');
    view.up();
    expect(view.sent).toHaveLength(1);
  });

  test('behavior: a question that may have arrived is looked for, not asked twice', async () => {
    const messages = [aStored('q1', 'user', 'Why?'), aStored('m1', 'assistant', 'Beca', { status: 'streaming' })];
    const created_at = new Date().toISOString();
    const view = open({
      conversations: async () => ({ conversations: [{ id: 'c1', created_at }] }),
      conversation: async () => ({ id: 'c1', messages }),
    });
    view.client.ask('Why?');
    view.down();
    view.up();
    await jest.advanceTimersByTimeAsync(0);
    expect(view.sent.map(([event]) => event)).toEqual(['chat:send', 'chat:resume']);
    expect(view.sent.at(-1)).toEqual(resume(-1));
    expect(view.chat()).toMatchObject({ conversationId: 'c1', pending: null, answer: { id: 'm1', text: '' } });
  });

  test('behavior: one that did not arrive is given back with another try', async () => {
    const created_at = new Date(Date.now() - 3_600_000).toISOString();
    const view = open({ conversations: async () => ({ conversations: [{ id: 'old', created_at }] }) });
    view.client.ask('Why?');
    view.down();
    view.up();
    await jest.advanceTimersByTimeAsync(0);
    expect(view.chat()).toMatchObject({ pending: null, unsent: { text: 'Why?', problem: { code: 'NOT_SENT' } } });
    view.client.ask('Why?');
    expect(view.chat().unsent).toBeNull();
    expect(view.sent).toHaveLength(2);
  });

  test('behavior: silence is asked about, and after a while said; nobody waits for ever', () => {
    const view = asked();
    jest.advanceTimersByTime(20_000);
    expect(view.sent.slice(1)).toEqual([resume(-1)]);
    jest.advanceTimersByTime(120_000);
    expect(view.chat().answer).toBeNull();
    expect(lastOf(view)).toMatchObject({ status: 'failed', problem: { code: 'NO_ANSWER' } });
  });

  test('behavior: a server that disconnects is connected to again; one that is too full, later', () => {
    const view = open();
    view.down(true);
    jest.advanceTimersByTime(2_000);
    expect(view.state.connects).toBe(2);
    view.up();
    view.error('RATE_LIMITED');
    expect(view.chat().linkProblem?.code).toBe('RATE_LIMITED');
    view.down(true);
    jest.advanceTimersByTime(9_000);
    expect(view.state.connects).toBe(2);
    jest.advanceTimersByTime(1_000);
    expect(view.state.connects).toBe(3);
  });
});

describe('errors', () => {
  test('error: a refused question says why and for how long', () => {
    const view = open();
    view.client.ask('Why?');
    view.error('RATE_LIMITED', { retry_after_seconds: 12 });
    expect(view.chat()).toMatchObject({
      pending: null,
      unsent: { text: 'Why?', problem: { code: 'RATE_LIMITED', retryAfterSeconds: 12 } },
    });
  });

  test('error: an answer that fails keeps its reason', () => {
    const view = asked();
    view.token(0, 'a');
    view.error('MODEL_UNAVAILABLE', { conversation_id: 'c1', message_id: 'm1' });
    view.done(1, { status: 'failed' });
    expect(lastOf(view)).toMatchObject({ text: 'a', status: 'failed', problem: { code: 'MODEL_UNAVAILABLE' } });
  });

  test('error: one whose end never follows is asked about soon; one that is gone ends at once', () => {
    const view = asked();
    view.error('MODEL_UNAVAILABLE', { conversation_id: 'c1', message_id: 'm1' });
    jest.advanceTimersByTime(5_000);
    expect(view.sent.at(-1)).toEqual(resume(-1));
    view.error('CONVERSATION_NOT_FOUND', { conversation_id: 'c1', message_id: 'm1' });
    expect(lastOf(view)).toMatchObject({ status: 'failed', problem: { code: 'CONVERSATION_NOT_FOUND' } });
  });

  test('error: SLOW_CONSUMER goes on where it was', () => {
    const view = asked();
    view.token(0, 'a');
    view.error('SLOW_CONSUMER');
    view.down(true);
    jest.advanceTimersByTime(2_000);
    view.up();
    expect(view.sent.at(-1)).toEqual(resume(0));
    view.error('SLOW_CONSUMER', { conversation_id: 'c1', message_id: 'm1' });
    expect(view.sent.at(-1)).toEqual(resume(0));
  });

  test('error: TOKEN_EXPIRED ends the session; a new sign-in goes on with the same answer', () => {
    const view = asked();
    view.token(0, 'a');
    view.error('TOKEN_EXPIRED');
    view.down(true);
    expect(view.onSignedOut).toHaveBeenCalledTimes(1);
    expect(view.chat()).toMatchObject({ link: 'sign_in', answer: { text: 'a' } });
    jest.advanceTimersByTime(60_000);
    expect(view.state.connects).toBe(1);
    view.session.token = 'two';
    view.client.connect();
    view.up();
    expect(view.sent.at(-1)).toEqual(resume(0));
  });

  test('behavior: the expiry of a token that was replaced ends nothing', () => {
    const view = asked();
    view.session.token = 'two';
    view.error('TOKEN_EXPIRED');
    view.down(true);
    expect(view.onSignedOut).not.toHaveBeenCalled();
    jest.advanceTimersByTime(2_000);
    expect(view.state.connects).toBe(2);
  });

  test('error: a handshake that is refused for its token asks to sign in, another is tried again', () => {
    const view = open();
    view.down();
    Object.assign(view.state, { active: false });
    view.emit(
      'connect_error',
      Object.assign(new Error('x'), { data: { code: 'SERVICE_UNAVAILABLE', retry_after_seconds: 3 } }),
    );
    jest.advanceTimersByTime(3_000);
    expect(view.state.connects).toBe(2);
    view.emit('connect_error', Object.assign(new Error('x'), { data: { code: 'TOKEN_REVOKED' } }));
    expect(view.chat().link).toBe('sign_in');
    expect(view.onSignedOut).toHaveBeenCalledTimes(1);
  });
});

describe('conversations', () => {
  test('behavior: one is shown whole, and an answer under way is listened to from its begin', () => {
    const view = open();
    const messages = [aStored('q1', 'user', 'Why?'), aStored('m1', 'assistant', 'Beca', { status: 'streaming' })];
    view.client.show({ id: 'c1', messages });
    expect(view.sent).toEqual([resume(-1)]);
    view.token(0, 'Because.');
    view.done(1);
    expect(view.chat().messages.map(({ text }) => text)).toEqual(['Why?', 'Because.']);
    view.client.show(null);
    expect(view.chat()).toMatchObject({ conversationId: null, messages: [], answer: null });
  });

  test('behavior: while a question is on its way none is shown in its place', () => {
    const view = open();
    view.client.ask('Why?');
    view.client.show(null);
    expect(view.chat().pending?.text).toBe('Why?');
  });

  test('behavior: once closed nothing is listened to', () => {
    const view = asked();
    view.client.close();
    view.token(0, 'a');
    jest.advanceTimersByTime(60_000);
    expect(view.chat().answer?.text).toBe('');
    expect(view.sent).toHaveLength(1);
  });
});
