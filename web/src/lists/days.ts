/** Days of a filter as `YYYY-MM-DD`, both included; an empty one is open. */
export type Days = { from: string; to: string };

export const isReversed = ({ from, to }: Days): boolean => from !== '' && to !== '' && from > to;
