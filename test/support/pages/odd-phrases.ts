// Phrases that read as if translated, each with how kubectl, gh or OpenSSH would put it. The project uses none of them.

export interface OddPhrase {
  readonly pattern: RegExp;
  /** A text that the pattern finds. */
  readonly odd: string;
  /** The same in plain English. */
  readonly plain: string;
  /** True for a word that names something in the code, so that comments may use it. */
  readonly isCodeWord?: boolean;
}

/** Nouns for things that are counted, as in "one row per node". */
const counted =
  'rows?|lines?|lists?|objects?|entry|entries|folders?|files?|characters?|requests?|writes?|facts?|names?|letters?|' +
  'columns?|blocks?|findings?|cells?|address|addresses|routes?|tests?|keys?|items?|words?|sentences?|process|connections?|sessions?';

const phrase = (pattern: string, odd: string, plain: string): OddPhrase => ({
  pattern: new RegExp(pattern, 'gi'),
  odd,
  plain,
});

export const oddPhrases: readonly OddPhrase[] = [
  phrase(
    String.raw`(?<!\b(?:there|there's) )\b(?:is|are|was|were) no (?!longer\b|more\b|less\b|fewer\b|(?:faster|slower|larger|smaller|higher|lower|older|newer|wider|better) *\b)\w+`,
    "'10s' is no pod",
    "invalid pod '10s'",
  ),
  phrase(String.raw`\btold\b`, 'the node is told as such', 'the node is reported as unreachable'),
  phrase(String.raw`\btells? of\b`, 'it tells of each problem', 'it reports each problem'),
  phrase(
    String.raw`\b(?:a|an|one|two|\d+) (?:${counted}) an? [a-z]+`,
    'prints a row a node',
    'prints one row per node',
  ),
  phrase(String.raw`\bbooks?\b`, 'the books of the block', 'the allocation records of the block'),
  phrase(String.raw`\bway back\b`, 'made for the way back', 'made for the reverse peering'),
  phrase(String.raw`\bcut short\b`, 'a run that was cut short', 'an interrupted run'),
  phrase(String.raw`\banew\b`, 'asked anew', 'asked again'),
  phrase(String.raw`\bwaited for\b`, 'a busy server is waited for', 'waits for a busy server'),
  phrase(String.raw`\bsomebody\b`, 'changed by somebody else', 'changed by another client'),
  phrase(String.raw`\b(?:of|to) nobody\b|\bnobody but\b|\bnobody's\b`, 'a block of nobody', 'a block without an owner'),
  phrase(
    String.raw`\bfloors?\b|\brooms\b|\b(?:pure|lower|upper|own|its|this) room\b`,
    'imports go down the floors',
    'imports go down the layers',
  ),
  phrase(String.raw`\bbeside\b`, 'the file beside it', 'the file next to it'),
  phrase(
    String.raw`\b(?:stands?|stood) (?:above|at|before|behind|below|elsewhere|here|in (?!the way\b|for\b)|on|there|up)|\b(?:above|below|beside|here|there) stands?\b`,
    'the reasons stand below the table',
    'the reasons are listed below the table',
  ),
  phrase(String.raw`\bhand(?:s|ed)? on\b`, 'items handed on as they arrive', 'items passed on as they arrive'),
  phrase(
    String.raw`(?:^|[.;] |/\*\* )answers (?:the|a|an|what|whether|how|why|its|true|false|undefined|where)\b`,
    'Answers the first address',
    'Returns the first address',
  ),
  phrase(String.raw`\b(?:is|are|was|were) well\b(?!-)`, 'nodes that are well', 'healthy nodes'),
  phrase(String.raw`\bsays? of (?:it|them)sel(?:f|ves)\b`, 'what BIRD says of itself', 'what BIRD reports'),
  phrase(String.raw`\brights of root\b`, 'needs the rights of root', 'must be run as root'),
  phrase(String.raw`\blike \d+ ?[smh]\b`, 'a duration like 10s', 'a duration, e.g. 10s'),
  phrase(String.raw`\bwith commas\b`, 'names, with commas', 'comma-separated names'),
  phrase(String.raw`\b(?:is|are|was|were) said\b`, 'it is said once', 'it is reported once'),
  phrase(String.raw`\banother \w+ than\b`, 'has another AS than 65001', 'has an AS number other than 65001'),
  phrase(
    String.raw`\b(?:is|are|was|were) asked for\b(?! (?:confirmation|something)\b)`,
    'more than one address is asked for',
    'releasing more than one address asks for confirmation',
  ),
  phrase(String.raw`\b(?:is|are|was|were) heard\b`, 'both ends are heard', 'both ends are evaluated'),
  phrase(String.raw`\bwhat (?:became|becomes|came) of\b`, 'what became of it', 'how it ended'),
  phrase(String.raw`\b(?:called|named) so\b`, 'when it is called so', 'when called by that name'),
  phrase(String.raw`\bopinions?\b`, "BIRD's opinion of its configuration", 'whether BIRD accepts its configuration'),
  phrase(String.raw`\bthat can be written to\b`, 'use a directory that can be written to', 'use a writable directory'),
  phrase(String.raw`\bgo on in\b`, 'Go on in another directory', 'Continue in another directory'),
  phrase(
    String.raw`\bbegun and not finished\b`,
    'a split was begun and not finished',
    'a split was started but not finished',
  ),
  phrase(
    String.raw`\bthere is no (?:node|pod|pool|tier) (?:…|\S*[-/])`,
    'there is no node node-z',
    'node node-z does not exist',
  ),
  phrase(
    String.raw`\bmade from another object\b`,
    'it is made from another object',
    'it is derived from Namespace shop',
  ),
  phrase(String.raw`\b(?:is not|must be) a text\b|\blist of texts\b`, 'must be a text', 'must be a string'),
  phrase(
    String.raw`\bvalue at \S+ is another one\b`,
    'the value at /spec is another one',
    'the value at /spec is different',
  ),
  phrase(String.raw`\brests? on it\b`, 'what rests on it is not judged', 'what depends on it is not judged'),
  phrase(
    String.raw`\bkeeps? \w+ apart\b`,
    'the lease that keeps repairs apart',
    'the lease that prevents concurrent repairs',
  ),
  phrase(
    String.raw`\b1 (?:addresses|affinities|blocks|errors|files|findings|handles|nodes|objects|pods|pools|sessions|warnings)\b`,
    'released 1 addresses',
    'released 1 address',
  ),
  {
    ...phrase(String.raw`\b(?:sub)?folders?(?= )|(?<= )(?:sub)?folders?\b`, 'an empty folder', 'an empty directory'),
    isCodeWord: true,
  },
];

export interface Found {
  readonly phrase: OddPhrase;
  readonly words: string;
}

/** Returns the odd phrases in a text, in no particular order. Line breaks count as spaces. */
export function oddPhrasesIn(text: string, isComment = false): Found[] {
  const flat = text.replace(/\s+/g, ' ');
  const phrases = oddPhrases.filter(({ isCodeWord }) => !(isComment && isCodeWord));
  return phrases.flatMap((one) => [...flat.matchAll(one.pattern)].map(([words]) => ({ phrase: one, words })));
}
