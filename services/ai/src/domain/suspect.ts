const teens = 'elf|zwölf|[a-zäöü]+zehn|onze|douze|treize|quatorze|quinze|seize|dodici|tredici|doce|trece|catorce|dieci';
const tens = [
  '[a-zäöü]*(?:zwanzig|dreißig|dreissig|vierzig|fünfzig|fuenfzig|sechzig|siebzig|achtzig|neunzig)',
  'vingts?|trente|quarante|cinquante|soixante|quatre-vingts?(?:-[a-z-]+)?',
  'veinte|treinta|cuarenta|cincuenta|sesenta|setenta|ochenta|noventa',
  'venti|trenta|quaranta|cinquanta|sessanta|settanta|ottanta|novanta|vinte|trinta|quarenta|cinquenta|sessenta|oitenta',
  'twintig|dertig|veertig|vijftig|zestig|zeventig|tachtig|negentig',
];
const large =
  '[a-zäöü]*(?:hundert|tausend)|millionen?|milliarden?|milliards?|cien|ciento|cientos|mille|mila|miles|millones';
/*
 * A word is read from where its run begins, or behind the digit the run is glued to: were it read from each place of the run, a
 * long run would cost its square.
 */
const wordBegins = '(?:(?<!_)|(?<=(?!\\w)[\\p{L}\\p{N}]_))';
const phraseBegins = "(?:(?<![\\p{L}\\p{N}'-])|(?<=\\p{N}\\p{L}*['-]))";
const ratios = `${wordBegins}\\w+fold|quadrupl\\w+|quintupl\\w+|(?:four|fif|six|seven|eigh|nin|ten|hundred|thousand)ths|couple of|hälfte|moitié|mitad|doppelt|verdoppelt`;
const percents = `(?:${phraseBegins}[\\p{L}'-]*[ -]?)?(?:prozent(?:punkte?)?|pour cent|pourcents?|por ciento|por cento|per cento|percento|procento?|procenta?|procent[ów]*|prosenttia?|prosent|persen|yüzde(?: [\\p{L}]+){1,2}|százalék)`;
const otherWords = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:${[percents, teens, ...tens, large, ratios].join('|')})(?![\\p{L}\\p{N}])`,
  'giu',
);
/** Well-formed and of two letters or more; a Roman number needs no unit to be read as one. */
const romanNumber =
  /(?<![\p{L}\p{N}])(?=[IVXLCDM]{2,}(?![\p{L}\p{N}]))M*(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})(?![\p{L}\p{N}])/gu;
/** Texts are English: what is written in another script cannot be read for numbers, and nobody asked for it. */
const otherScript =
  /(?=[\p{L}\p{No}\p{Nl}])(?!\p{Script=Latin}|µ|ª|º)[\p{L}\p{M}\p{No}\p{Nl}](?:[\p{L}\p{M}\p{No}\p{Nl} ]*[\p{M}\p{No}\p{Nl}\p{L}])?/gu;

/** Marks what may say a number in a way that is not read as one: other languages and scripts, Roman numbers, `tenfold`. */
export const markSuspect = (text: string): string => {
  const mark = (found: string) => `[unverified: ${found}]`;
  return text.replaceAll(otherScript, mark).replaceAll(otherWords, mark).replaceAll(romanNumber, mark);
};
/** Whether `markSuspect` would mark anything. */
export const isSuspect = (text: string): boolean => markSuspect(text) !== text;

const stems =
  /^(?:zwei|drei|vier|fünf|fuenf|sechs|sieb|acht|neun|deux|trois|quatre|cinq|sept|huit|neuf|dix|dos|tres|cuatro|cinco|siete|ocho|nueve|diez|quattro|cinque|sette|otto|nove|dois|dez|twee|drie|vijf|zes|zeven|negen)/i;
/** True for letters that a word which says a number in another language may begin with: its rest is waited for. */
export const beginsForeignNumber = (letters: string): boolean => stems.test(letters);
