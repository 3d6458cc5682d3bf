import { messageOf, TokenscopeError } from '../../shared/errors.ts';
import { printable } from '../../shared/problem.ts';

interface Pattern {
  readonly test: RegExp;
  readonly reason: (...groups: string[]) => string;
}

/** The ways of onnxruntime 1.30 to say that a graph holds what it does not run, and ours. */
const PATTERNS: readonly Pattern[] = [
  {
    test: /Fatal error: ([\w.]*):?(\w+)\(-?\d+\) is not a registered function\/op/,
    reason: (domain, operator) => `it has no operator ${operator}${domain === '' ? '' : ` of ${domain}`}`,
  },
  {
    test: /Error No Op registered for (\w+) with domain_version of (\d+)/,
    reason: (operator, version) => `it has no operator ${operator} in operator set ${version}`,
  },
  {
    test: /Could not find an implementation for (?:[\w.]+:)?(\w+)\(\d+\) node with name '([^']*)'/,
    reason: (operator, node) => `it does not run ${operator} in the form that the node "${node}" asks for`,
  },
  {
    test: /Type 'tensor\((\w+)\)' of input parameter \(([^)]*)\) of operator \((\w+)\)/,
    reason: (type, input, operator) => `its ${operator} does not take ${type}, which "${input}" is`,
  },
  {
    test: /In Node, \("([^"]*)", (\w+), .*, Error (.*)/,
    reason: (node, operator, error) => `${operator} "${node}": ${error}`,
  },
  {
    test: /while running (\w+) node\. Name:'([^']*)' Status Message: (.*)/,
    reason: (operator, node, status) => `${operator} "${node}": ${withoutSource(status)}`,
  },
  {
    test: /Unsupported model IR version: (\d+), max supported IR version: (\d+)/,
    reason: (has, most) => `the graph is of IR version ${has}, it reads up to ${most}`,
  },
  {
    test: /Opset (\d+) is under development.*is till opset (\d+)/,
    reason: (has, most) => `the graph is of operator set ${has}, it runs up to ${most}`,
  },
  { test: /\.(?:cc|h):\d+ .* was false\. (.*)/, reason: (words) => words },
];
/** Enough for any of the above; a graph may give its nodes names of any length. */
const MOST_CHARACTERS = 400;

/** Why the runtime cannot load a graph, as a `model` error of one line without the paths of its sources. */
export function loadFailure(cause: unknown, path: string, runtime: string): TokenscopeError {
  return new TokenscopeError('model', `${runtime} cannot load the graph: ${reasonOf(cause)}`, {
    path,
    remedy: 'check that the file is complete, or take another variant of the model',
    cause,
  });
}

/** Why a pass through a loaded graph failed. */
export function passFailure(cause: unknown, runtime: string): TokenscopeError {
  return new TokenscopeError('model', `${runtime} failed in the graph: ${reasonOf(cause)}`, {
    remedy: 'take another variant of the model',
    cause,
  });
}

function reasonOf(cause: unknown): string {
  const text = messageOf(cause);
  for (const { test, reason } of PATTERNS) {
    const match = test.exec(text);
    if (match !== null) return short(reason(...match.slice(1).map((group) => group ?? '')));
  }
  return short(withoutSource(text));
}

function short(reason: string): string {
  const text = printable(reason);
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}...` : text;
}

/** Where in the runtime's sources it happened, and in which function, helps nobody here. */
function withoutSource(text: string): string {
  return text
    .replaceAll(
      /\/?(?:[\w.@+-]+\/)+[\w.-]+\.(?:cc|h|cpp):\d+ (?:[^()]*\([^()]*\)(?: const)?(?:::<lambda\(\)>)? )?/g,
      '',
    )
    .trim();
}
