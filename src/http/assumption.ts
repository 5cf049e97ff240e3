// A guess: what is answered where the platform's contract is silent.

export interface Assumption {
  /** detail: a header or a text; body: the shape of an answer; operation: the whole operation. */
  level: 'detail' | 'body' | 'operation';
  text: string;
  /** The setting that changes it. */
  setting?: string;
}
