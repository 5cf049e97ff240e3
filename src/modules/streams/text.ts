// The text of a stream: what a model said piece by piece, or the data of its events line by line.

interface Piece {
  type?: unknown;
  delta?: unknown;
  choices?: { delta?: { content?: unknown } | null }[];
  error?: { message?: unknown } | null;
}

/** Joined before secrets are looked for: one may lie in several pieces. */
export function textOf(data: readonly string[]): string {
  const texts = data.map(pieceText);
  const said = texts.filter((text) => text !== undefined).join('');
  return said === '' ? data.join('\n') : said;
}

// undefined: it is no piece of what is said.
function pieceText(data: string): string | undefined {
  const piece = parsed(data);
  if (piece === undefined) return undefined;
  const [choice] = Array.isArray(piece.choices) ? piece.choices : [];
  const found = [
    choice?.delta?.content,
    piece.type === 'response.output_text.delta' ? piece.delta : undefined,
    piece.error?.message === undefined ? undefined : `\n${String(piece.error.message)}`,
  ].find((text) => typeof text === 'string');
  return typeof found === 'string' ? found : undefined;
}

function parsed(text: string): Piece | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Piece) : undefined;
  } catch {
    return undefined;
  }
}
