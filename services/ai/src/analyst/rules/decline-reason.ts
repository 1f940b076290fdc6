/** Why a question is declined whatever it is about. */
export type Outside = 'future' | 'advice' | 'own' | 'past' | 'meaning' | 'chat' | 'action' | 'howto' | 'rules';

const months =
  'jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?';

/** What a person may order, which a chat that only reads does not do. */
const orders =
  'pause|unpause|withdraw|deposit|redeem|swap|send|transfer|move|rebalance|lower|raise|increase|reduce|decrease|cut|set|change|update|remove|grant|revoke|approve|execute|cancel|close|delete|alert|notify|ping|remind|email|message|text|write|translate|book|call|buy|sell|claim|top up|fund|pay|stop|start|restart|deploy|sign|kick';
const objects = 'the|a|an|my|our|me|us|all|some|it|this|that|everything|half|\\d|funds?|money|fees?|him|her|them';

const outsides: readonly (readonly [Outside, RegExp])[] = [
  [
    'rules',
    /\b(?:ignore|disregard|forget|override|bypass) (?:all |any |everything |your |the |what |previous |prior |my )|\bsystem prompt\b|\b(?:developer|debug|god|admin) mode\b|\bjailbreak|\byour (?:instructions|rules|prompt|guidelines|training)\b|\bpretend\b|\brole ?play\b|\bact as\b|\byou are now\b|\brepeat (?:the|everything|all|your|what)\b|\benv(?:ironment)? variables?\b|\bapi keys?\b|\bpasswords?\b|\b(?:select|drop|insert|delete|truncate) (?:\*|table|from|into)\b|<script|\bsudo\b|\brm -|\bprivate keys?\b|\bseed phrase/,
  ],
  [
    'chat',
    /\bhow are (?:you|u|things)\b|\bhow r u\b|\bhow(?:'s| is) it going\b|\bhow(?:'s| is| was) your\b|\bwhat(?:'s| is) up\b|\bjokes?\b|\bpoem\b|\b(?:do|did|can|have) you (?:like|love|feel|sleep|dream|eat|enjoy|hate|ever|know me)\b|\byour (?:favou?rite|name|opinion|day|weekend|mood)\b|\bwho (?:made|built|created|trained) you\b|\b(?:weather|pizza|football)\b/,
  ],
  [
    'advice',
    /\bshould (?:i|we|you|they|the|one|a|an|it)\b(?! (?:expect|know|be aware|see|look))|\bwould you\b|\brecommend|\badvi[cs]e\b|\bsuggest|\bgood (?:time|idea|investment|moment|deal|choice|buy|entry|price|point)\b|\bworth (?:it|buying|investing|the)\b|\bbetter (?:to|off)\b|\b(?:buy|sell|invest)\b|\bin my (?:place|position|shoes)\b|\bif you were (?:me|us)\b|\bwhat (?:do|would) you (?:think|do)\b|\bdo you (?:think|believe|trust)\b|\btoo (?:high|low|much|little|risky|tight|loose|expensive|many|few|long|big|dominant|concentrated|volatile|slow|small|late)\b|\benough yield\b/,
  ],
  [
    'future',
    new RegExp(
      `\\bwill\\b|'ll\\b|\\bgoing to\\b|\\bgonna\\b|\\bpredict|\\bforecast|\\bproject(?:ed|ion)|\\boutlook\\b|\\bnext (?:week|month|quarter|year|days?|few)\\b|\\b(?:coming|upcoming) (?:days?|weeks?|months?|year)\\b|\\btomorrow\\b|\\bsoon\\b|\\bby the end of\\b|\\bin (?:the )?future\\b|\\bexpect(?:ed|s)? (?:to|for|in)\\b|\\b(?:for|by|until) (?:${months})\\b|\\bin \\d+ (?:days?|weeks?|months?|years?)(?: time| from now)\\b|\\b20(?:2[7-9]|[3-9]\\d)\\b|\\bend of (?:the )?(?:year|month|quarter)\\b|\\bplan(?:s|ned|ning)? to\\b|\\broadmap\\b`,
    ),
  ],
  [
    'action',
    new RegExp(
      `^(?:(?:please|pls|plz|hey|ok|now|can you|could you|would you|go ahead and|just|i want you to|i'd like you to)[ ,]+)*(?:${orders}) (?:${objects})\\b|\\b(?:${orders})\\b.*\\b(?:for me|on my behalf)\\b|^(?:write|translate|code|draft)\\b|^(?:please |can you |could you )+(?:${orders})\\b`,
    ),
  ],
  [
    'own',
    /^(?!.*\b(?:roles?|permissions?|access|rights?|can i see)\b).*(?:\bmy (?:own )?(?:balance|profits?|shares?|position|pnl|p&l|money|wallet|stake|returns?|earnings|loss(?:es)?|gains?|tax(?:es)?)\b|\b(?:do|did|have|am|can|would|could) i (?:hold|have|own|make|made|earn|earned|lose|lost|get|up|down|owe|owed|in profit)\b|\bif i (?:deposit|redeem|withdraw|exit|put|leave)|\bi (?:deposited|invested|redeemed|withdrew|paid|earned|made|owe)\b)/,
  ],
  ['own', /^(?!.*\b(?:fees?|charged?|takes?|costs?)\b).*\bmy (?:own )?deposits?\b/],
  [
    'howto',
    /\bhow to\b|\bhow (?:do|can|could|would|should|might) (?:i|you|one|someone|somebody|people)\b(?! (?:know|see|tell))|\bwhere (?:do|can|could) (?:i|one|we|people) (?:see|find|get|buy|change|set|download|read|go)\b|\bhow (?:do|can|could) we (?:become|add|change|set|get|withdraw|deposit|redeem|make|move|raise|lower|remove|stop|start|join|export|connect)\b/,
  ],
  [
    'meaning',
    /\bstands? for\b|\bwhat (?:does|do|is meant by) .+ (?:mean|meant|measure)\b|\bwhat is meant\b|\bdefin(?:e|es|ed|ition)\b|\bmeaning of\b|\bhow (?:does|do) (?:the |a |an )?.+ works?\b|\bwhat(?:'s| is) an? \b|\bexplain (?:what|how)\b|\blike i'?m (?:five|5)\b|\beli5\b|\bhow (?:is|are) (?:the |it )?.*(?:calculated|computed|defined|derived)\b|\bformula\b/,
  ],
  [
    'past',
    new RegExp(
      `\\byesterday\\b|\\b(?:in|on|during|since|of) (?:early |late |mid )?(?:${months})\\b|\\b\\d{1,2}(?:st|nd|rd|th)? (?:of )?(?:${months})\\b|\\b(?:${months}) \\d|\\bon \\d|(?<!how long )\\bago\\b|\\b20\\d\\d\\b|\\b(?:last|on|since) (?:mon|tues|wednes|thurs|fri|satur|sun)day\\b|\\bsince the \\d|\\bback then\\b|\\bused to\\b|\\bat (?:inception|launch)\\b`,
    ),
  ],
];

/** Whether a question, in lower case, is about what no figure of a vault says: another day, advice, the reader's own affairs. */
export const outsideOf = (lower: string): Outside | null =>
  outsides.find(([, pattern]) => pattern.test(lower))?.[0] ?? null;
