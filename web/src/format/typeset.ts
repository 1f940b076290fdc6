import { formatDay, formatDuration, formatUtc } from './time.ts';

const instants = /\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?Z/g;
const minutes = /\b(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}) UTC\b/g;
const days = /(?<![\w/.-])\d{4}-\d{2}-\d{2}(?![\w/-])/g;
const dated = (write: (iso: string) => string) => (iso: string) => (Number.isNaN(Date.parse(iso)) ? iso : write(iso));

const minuteText = (text: string, day: string, time: string): string => {
  const iso = `${day}T${time}Z`;
  return Number.isNaN(Date.parse(iso)) ? text : formatUtc(iso);
};

/** Figures and dates in a text that the server wrote, as the rest of the pages write them: 5.82%, −$40, 3 m 47 s, 9 Nov 2026. */
export const typeset = (text: string): string =>
  text
    .replaceAll(instants, dated(formatUtc))
    .replaceAll(minutes, minuteText)
    .replaceAll(days, dated(formatDay))
    .replaceAll(/(?<=\d) %/g, '%')
    .replaceAll(/(?<![\d.,])(\d+) s\b/g, (_text, seconds: string) => formatDuration(Number(seconds)))
    .replaceAll(/(?<=^|[\s(])-(?=\$?\d)/g, '\u2212');
