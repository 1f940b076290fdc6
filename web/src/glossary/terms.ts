export type Term = {
  /** The label on screen, in lower case; a label may go on after a comma: "Net APY, 7 days". */
  names: readonly string[];
  /** What it is, in plain sentences. */
  text: string;
};

/** Every word that a reader may not know, in one place. A label of these names carries its sentence. */
export const terms: readonly Term[] = [
  // Money and price
  { names: ['tvl', 'total value'], text: 'All that the vault holds, valued at the current price per share.' },
  {
    names: ['price per share', 'pps', 'current', 'price now'],
    text: 'PPS: what one share of the vault is worth in its asset. Validators report it, and deposits and withdrawals use it.',
  },
  {
    names: ['calculated price', 'calculated'],
    text: 'The price per share computed here from what the yield sources hold now. It checks the price the validators reported.',
  },
  {
    names: ['divergence'],
    text: 'How far the calculated price is from the reported one, in basis points. 100 bps are 1%.',
  },
  {
    names: ['net price after', 'net price'],
    text: 'The price per share after the performance fee that has built up but is not taken yet. Returns are measured on it.',
  },
  {
    names: ['high-water mark', 'mark'],
    text: 'The price above which gains pay a performance fee. It moves when a fee is taken or the fees change, so it is not the highest price ever.',
  },
  {
    names: ['deviation guard', 'largest jump of a price'],
    text: 'The largest change between two reported prices. A larger one pauses the vault.',
  },
  {
    names: ['price would expire', 'a price can be used for', 'a price may be used for'],
    text: 'After this time without a report the price has expired: nobody can deposit or withdraw at it.',
  },
  {
    names: ['longest staleness', 'age of a report when it comes'],
    text: 'The chain refuses a price that is older than this when it arrives.',
  },
  {
    names: ['idle assets'],
    text: 'Assets in the vault itself, in no yield source. They earn nothing and can be paid out at once.',
  },
  { names: ['shares in circulation', 'of supply'], text: 'The supply: all shares of the vault that somebody holds.' },
  { names: ['escrow'], text: 'The contract that keeps the shares of withdrawals that are requested but not yet paid.' },
  // Returns
  {
    names: ['apy', 'net apy', 'gross apy'],
    text: 'The yearly yield: the realised gain of these days, compounded over 365 days. Net is after fees, gross before. It is no forecast.',
  },
  { names: ['return', 'net return'], text: 'The change of the net price over the period, not scaled up to a year.' },
  {
    names: ['against benchmark'],
    text: 'The return above or below what the named benchmark would have given in the same time.',
  },
  {
    names: ['tracking error'],
    text: 'How much the daily returns differ from those of the benchmark, a year: 0 is a vault that moves exactly with it.',
  },
  {
    names: ['information ratio'],
    text: 'The return above the benchmark for each unit of tracking error. Higher is better; below 0 the vault earned less.',
  },
  {
    names: ['time in loss'],
    text: 'The share of days that closed below the highest net price before them.',
  },
  {
    names: ['price ahead of positions'],
    text: 'What the reported price per share gained more, or less, than the positions themselves: a report comes after the gain it shows.',
  },
  {
    names: ['residual'],
    text: 'What no part explains: the cost of moving assets between sources, gains within such a move, and rounding.',
  },
  {
    names: ['fee drag'],
    text: 'What the performance fee took of the APY: gross APY less net APY.',
  },
  // Risk
  {
    names: ['risk score'],
    text: 'One number from 0 to 100 made of the parts below, by their weights. Higher is riskier. Some dangers set a floor.',
  },
  { names: ['danger'], text: 'How far a part has gone towards its worst, from 0 to 100.' },
  { names: ['weight'], text: 'How much of the score this part decides, when all parts have data.' },
  {
    names: ['drawdown', 'largest drawdown', 'largest fall'],
    text: 'How far the net price fell from a high to the lowest point after it.',
  },
  {
    names: ['volatility', 'volatility of a day'],
    text: 'How much the daily returns scatter around their mean: their standard deviation. A yearly one is scaled up from days.',
  },
  {
    names: ['sharpe ratio'],
    text: 'Return above the benchmark per unit of volatility, corrected for days that resemble the day before, which make smooth yields look safer than they are. Higher is better.',
  },
  {
    names: ['one-day var'],
    text: 'Value at risk: on all but the worst days (5% or 1% of them) the return of a day was above this. It says nothing of defaults.',
  },
  {
    names: ['sortino ratio'],
    text: 'As the Sharpe ratio, but only days that returned less than the benchmark count as risk.',
  },
  {
    names: ['calmar ratio'],
    text: 'APY of the period divided by its deepest fall. Higher is better; there is none where the price fell by less than 0.1%.',
  },
  {
    names: ['deepest fall since inception'],
    text: 'The largest fall of the net price below its earlier high since the vault began, whatever the period above.',
  },
  {
    names: ['recovery time'],
    text: 'How long the deepest fall of the period took from its lowest point back to where it fell from.',
  },
  {
    names: ['concentration', 'hhi'],
    text: 'HHI, the Herfindahl index: the squared shares of all yield sources added up, of 10,000. One source alone is 10,000; ten equal ones are 1,000.',
  },
  {
    names: ['hhi points'],
    text: 'The squared share of this source. The points of all sources add up to the concentration (HHI).',
  },
  {
    names: ['instant liquidity'],
    text: 'What can be paid out on demand: idle assets, which are paid at once, and what the sources release when a manager or the keeper asks.',
  },
  {
    names: ['covers the top 3'],
    text: 'Instant liquidity divided by what the three largest holders own. Below 1× not all of them can be paid on demand.',
  },
  {
    names: ['top 3 paid now'],
    text: 'If the three largest holders ask for all they have: the part of it that is paid at once. It is not the share of all assets that is liquid.',
  },
  {
    names: ['withdrawals at risk'],
    text: 'On one day in twenty more than this share of the vault left, net of deposits.',
  },
  { names: ['largest holder'], text: 'The share of the supply that the largest wallet holds.' },
  // Holders
  {
    names: ['tenure'],
    text: 'How long the shares that are held now have been held on average, each share counting the same. Shares leave in the order in which they came.',
  },
  {
    names: ['gain, result, xirr'],
    text: 'Gain in the asset; result in dollars, with everything put in and taken out at the price of its day; XIRR, the yearly rate of this holder, which is no APY.',
  },
  {
    names: ['xirr'],
    text: 'The yearly rate at which what a wallet put in, what it took out and what it has now come to nothing, each at its time. It is the return of that wallet, and no APY of the vault.',
  },
  {
    names: ['retention'],
    text: 'Of the wallets that held the vault at the start, the share that still does.',
  },
  {
    names: ['share retention'],
    text: 'Of the shares held at the start, the part the same wallets still hold. Counted in shares, so that yield does not hide leavers.',
  },
  { names: ['median deposit'], text: 'Half of the deposits are smaller than this, half are larger.' },
  { names: ['large deposit'], text: 'Nine of ten deposits are smaller than this.' },
  { names: ['net flow'], text: 'Deposits less withdrawals.' },
  {
    names: ['weighted by amount'],
    text: 'Slippage: the difference between the price one got and the price one block before. Large amounts count for more.',
  },
  // Fees and upkeep
  {
    names: ['performance fee'],
    text: 'The share of gains above the high-water mark that goes to the fee recipient and the protocol.',
  },
  {
    names: ['entry fee'],
    text: 'The share of each deposit that is kept as a fee. It is charged once, when one enters.',
  },
  {
    names: ['fee due', 'fee due now', 'performance fee due', 'fee a skim would take'],
    text: 'The performance fee on gains since the last time it was taken. Taking it is called a skim.',
  },
  {
    names: ['upkeep', 'upkeep balance', 'upkeep spent'],
    text: 'What the vault pays in advance for its price updates. When it is used up, no new price arrives.',
  },
  {
    names: [
      'runway, last 24 hours',
      'runway at the fastest cadence',
      'lasts',
      'lasts at the fastest cadence',
      'runway',
    ],
    text: 'How long the upkeep balance lasts: at the pace of the last 24 hours, or at the fastest pace the chain allows.',
  },
  {
    names: ['root of the strategy', 'root for all strategies', 'proposed root'],
    text: 'The fingerprint of a list of allowed actions (a Merkle root). The chain runs only what is proven to be on the list.',
  },
];

const byName: ReadonlyMap<string, Term> = new Map(terms.flatMap((term) => term.names.map((name) => [name, term])));

/** What a label means; undefined where it needs no explanation. */
export function meaningOf(label: string): string | undefined {
  const whole = label.toLowerCase();
  return (byName.get(whole) ?? byName.get(whole.split(',')[0] ?? ''))?.text;
}
