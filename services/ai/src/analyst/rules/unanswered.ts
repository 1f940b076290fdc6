/** What is asked often and is no figure of this analyst, with the reason; recognised so that it is not taken for another. */
type Unanswered = {
  /** All words of a phrase have to be asked. */
  phrases: readonly string[];
  reason: string;
};

const listed = (phrases: string): readonly string[] => phrases.split(',').map((phrase) => phrase.trim());

export const unanswered: readonly Unanswered[] = [
  {
    phrases: listed('howmany holder redeem, howmany holder deposit, howmany new holder deposit'),
    reason: 'I know how many deposits and withdrawals there were, and not from how many holders.',
  },
  { phrases: listed('alert'), reason: 'I do not read alerts. The Alerts page lists which are active, and since when.' },
  { phrases: listed('audit'), reason: 'I do not read audits or the audit log. The Audit page lists who did what.' },
  {
    phrases: listed('keeper, rule, fail keeper'),
    reason: 'I do not read automation rules or the keeper. The Strategies page shows their state and their runs.',
  },
  { phrases: listed('cohort'), reason: 'I do not read cohorts. The Users page has the cohort table.' },
  {
    phrases: listed('inprofit, holder profit, large holder profit, holder profit who'),
    reason: 'I do not read what each holder gained. The Users page lists it by holder.',
  },
  {
    phrases: listed('tenure, holder howlong, average holder'),
    reason: 'I do not read how long holders stay.',
  },
  {
    phrases: listed('var'),
    reason: 'I know the score, drawdown, volatility and concentration, and no other measures of risk.',
  },
  {
    phrases: listed('fail, transaction fail'),
    reason: 'I know how many transactions there were, and not which of them failed. The Operations page lists them.',
  },
  {
    phrases: listed('quorum, validator quorum, howmany validator, dispersion, validator dispersion'),
    reason:
      'I know whether the validators report, and not how many signed or how far they agree. The Validators page shows it.',
  },
  {
    phrases: listed('timelock howlong, howlong proposed'),
    reason: 'I know which changes are proposed and from when they may take effect, and not the length of a timelock.',
  },
  {
    phrases: listed('powers, powers manager'),
    reason: 'I know who holds which role, and not what each role may do. The Roles page says it.',
  },
  {
    phrases: listed('manager multisig, primary manager multisig, multisig'),
    reason: 'I know the addresses of the managers, and not what kind of wallet they are.',
  },
  {
    phrases: listed('hook, root change when, root change last, root last change, root when'),
    reason: 'I know whether a change of the hooks root is proposed. The Merkle page lists the hooks and earlier roots.',
  },
  {
    phrases: listed('manager change, primary manager change, manager change when'),
    reason: 'I know who the managers are, and not since when. The timeline lists changes of roles.',
  },
  {
    phrases: listed('holder wallet, large holder wallet, large wallet, who holder, who large holder, who large'),
    reason: 'I know how much the largest holders have, and not who they are. The Users page lists them.',
  },
];
