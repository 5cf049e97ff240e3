// What the build finds declared of the control operations (build/page-operations.mjs).

declare module 'page-operations' {
  export interface OperationField {
    /** Its flag. */
    name: string;
    /** Its place in the input. */
    path: string;
    place: 'params' | 'query' | 'body';
    type: 'string' | 'number' | 'boolean' | 'list' | 'object' | 'any';
    /** The words that it may be. */
    words: readonly string[];
    describe: string;
    isRequired: boolean;
  }
  interface DeclaredOperation {
    method: 'GET' | 'POST' | 'PUT' | 'DELETE';
    path: string;
    /** The words of its command and its arguments; empty where it has none. */
    line: string;
    /** The argument that is the whole input. */
    document?: string;
    /** The columns of its list; one with a question mark can be left out. */
    columns?: string;
    fields: readonly OperationField[];
  }
  export const operations: Readonly<Record<string, DeclaredOperation | undefined>>;
}
