import type { AlertEvent } from '@castellan/contracts';

const words: Readonly<Record<AlertEvent['event_type'], string>> = {
  'alert.opened': 'New',
  'alert.acknowledged': 'Acknowledged',
  'alert.resolved': 'Resolved',
  'alert.unmuted': 'No longer muted',
  'alert.renamed': 'Changed',
  'alert.escalated': 'Escalated',
  'alert.digest': 'Held back in quiet hours',
  test: 'Test',
};
const testText = 'Test: this channel gets the alerts of your vaults.';

const slackSigns = { critical: ':red_circle:', warning: ':large_orange_circle:', info: ':large_blue_circle:' } as const;

/** How a step of an alert is called. */
const wordOf = (event_type: string): string => words[event_type as AlertEvent['event_type']] ?? event_type;

const LONGEST_TITLE = 70;
/** What a digest says, a line for each event: those of Telegram's longest text. */
const digestLines = ({ data: { held = [] } }: AlertEvent): string[] =>
  held.map(
    ({ timestamp, severity, event_type, title }) =>
      `${timestamp.slice(0, 16).replace('T', ' ')} [${severity}] ${wordOf(event_type)}: ${title.slice(0, LONGEST_TITLE)}`,
  );
const digestHead = ({ data: { held = [], note } }: AlertEvent): string =>
  `Held back in quiet hours, ${held.length} ${held.length === 1 ? 'event' : 'events'}${note ? ` of ${note}` : ''} (UTC)`;

const dutyWords: Readonly<Partial<Record<AlertEvent['event_type'], string>>> = { 'alert.escalated': 'Escalated to' };
/** Who is on duty; nothing where nobody is named. */
const dutyLine = ({ event_type, data: { on_duty } }: AlertEvent): string[] =>
  on_duty ? [`${dutyWords[event_type] ?? 'On duty'}: ${on_duty.name}`] : [];

/** What Slack reads as markup, written so that it does not: names and notes are other people's text. */
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** A message of an incoming webhook of Slack. */
export function slackMessage(event: AlertEvent): { text: string } {
  const { event_type, data } = event;
  const { alert, note } = data;
  if (event_type === 'alert.digest')
    return { text: [`*${escaped(digestHead(event))}*`, ...digestLines(event).map(escaped)].join('\n') };
  if (!alert) return { text: testText };
  const head = `${slackSigns[alert.severity]} *${words[event_type]}: ${escaped(alert.title)}*, ${escaped(alert.vault_name)}`;
  const lines = [
    head,
    escaped(alert.message),
    ...dutyLine(event).map(escaped),
    ...(note ? [`> ${escaped(note)}`] : []),
  ];
  return { text: lines.join('\n') };
}

/** One line without line breaks: a title of a mail or of a page. */
const headline = (event: AlertEvent): string => {
  const { event_type, data } = event;
  if (event_type === 'alert.digest') return digestHead(event).replaceAll(/\s+/g, ' ');
  const { alert } = data;
  return alert ? `${words[event_type]}: ${alert.title}, ${alert.vault_name}`.replaceAll(/\s+/g, ' ') : testText;
};

/** Longest text of Telegram. */
const MOST_OF_TELEGRAM = 4_096;

/** A message of a Telegram bot, as plain text: without a parse mode nothing in it is markup. */
export function telegramMessage(event: AlertEvent, chat_id: string) {
  const { alert, note } = event.data;
  const head = alert ? `[${alert.severity}] ${headline(event)}` : headline(event);
  const text = [
    head,
    ...digestLines(event),
    ...(alert ? [alert.message, ...dutyLine(event), ...(note ? [`Note: ${note}`] : [])] : []),
  ].join('\n');
  return { chat_id, text: text.slice(0, MOST_OF_TELEGRAM), link_preview_options: { is_disabled: true } };
}

/** A mail in plain text. Those of one alert belong to one thread, and the same event again is the same mail. */
export function mail(event: AlertEvent, domain: string) {
  const { alert, note } = event.data;
  const id = (of: string) => `<${of}@${domain}>`;
  const facts = Object.entries(alert?.facts ?? {}).map(([name, value]) => `${name}: ${value}`);
  const lines = alert
    ? [
        alert.message,
        ...dutyLine(event),
        ...(note ? ['', `Note: ${note}`] : []),
        '',
        `Vault: ${alert.vault_name}, chain ${alert.chain_id}, ${alert.vault_address}`,
        `Severity: ${alert.severity}. Open since ${alert.opened_at}.`,
        ...facts,
        '',
        `What to do: ${alert.runbook_url}`,
      ]
    : event.event_type === 'alert.digest'
      ? digestLines(event)
      : [testText];
  return {
    subject: alert ? `[${alert.severity}] ${headline(event)}` : headline(event),
    text: lines.join('\n'),
    messageId: id(event.event_id),
    ...(alert ? { references: id(alert.alert_id), inReplyTo: id(alert.alert_id) } : {}),
    headers: { 'Auto-Submitted': 'auto-generated' },
  };
}

const MOST_OF_SUMMARY = 1_024;
const pagerDutyActions: Readonly<Partial<Record<AlertEvent['event_type'], 'acknowledge' | 'resolve'>>> = {
  'alert.acknowledged': 'acknowledge',
  'alert.resolved': 'resolve',
};

/**
 * An event of PagerDuty's Events API v2. All of one alert have its id as key, so that they make one incident; a test is an incident
 * of its own, which its receiver closes.
 */
export function pagerDutyEvent(event: AlertEvent, routing_key: string) {
  const { alert, note } = event.data;
  const event_action = pagerDutyActions[event.event_type] ?? 'trigger';
  const dedup_key = alert?.alert_id ?? event.event_id;
  if (event_action !== 'trigger') return { routing_key, event_action, dedup_key };
  return {
    routing_key,
    event_action,
    dedup_key,
    client: 'Castellan',
    payload: {
      summary: headline(event).slice(0, MOST_OF_SUMMARY),
      source: alert ? `${alert.chain_id}/${alert.vault_address}` : 'castellan',
      severity: alert?.severity ?? 'info',
      timestamp: event.timestamp,
      ...(alert ? { component: alert.subject, class: alert.rule_id } : {}),
      custom_details: alert
        ? {
            message: alert.message,
            ...alert.facts,
            note,
            on_duty: event.data.on_duty?.name ?? null,
            runbook: alert.runbook_url,
          }
        : {},
    },
  };
}

/** Limits of Opsgenie: a title, a description, a note. */
const MOST_OF_TITLE = 130;
const MOST_OF_DESCRIPTION = 15_000;
const opsgenieSteps: Readonly<Partial<Record<AlertEvent['event_type'], 'acknowledge' | 'close'>>> = {
  'alert.acknowledged': 'acknowledge',
  'alert.resolved': 'close',
};
const priorities = { critical: 'P1', warning: 'P3', info: 'P5' } as const;

/** A request of Opsgenie's Alert API: path below its origin, and body. The alert's id is the alias by which it is closed. */
export function opsgenieRequest(event: AlertEvent): { path: string; body: object } {
  const { alert, note } = event.data;
  const alias = alert?.alert_id ?? event.event_id;
  const step = opsgenieSteps[event.event_type];
  const source = 'Castellan';
  if (step !== undefined) {
    const path = `/v2/alerts/${encodeURIComponent(alias)}/${step}?identifierType=alias`;
    return { path, body: { source, ...(note ? { note } : {}) } };
  }
  const facts = Object.entries(alert?.facts ?? {}).map(([name, value]) => [name, String(value)]);
  const body = {
    message: headline(event).slice(0, MOST_OF_TITLE),
    alias,
    source,
    priority: priorities[alert?.severity ?? 'info'],
    description: (alert ? [alert.message, ...dutyLine(event), '', alert.runbook_url].join('\n') : testText).slice(
      0,
      MOST_OF_DESCRIPTION,
    ),
    ...(alert ? { entity: `${alert.chain_id}/${alert.vault_address}`, details: Object.fromEntries(facts) } : {}),
  };
  return { path: '/v2/alerts', body };
}
