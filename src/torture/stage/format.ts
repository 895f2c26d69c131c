/** How the scripted model is asked and answers: one of the formats that models have. One file each. */
export interface ModelFormat {
  readonly path: string;
  read(body: unknown): ModelRequest;
  /** What a stream begins with, says and ends with. `hasText`: whether there is anything to say. */
  begin(hasText: boolean): string;
  piece(text: string): string;
  end(calls: readonly ModelCall[], hasText: boolean): string;
  /** The answer to a request that wants no stream. */
  whole(text: string, calls: readonly ModelCall[]): string;
}

export interface ModelRequest {
  readonly messages: readonly { readonly role: string; readonly text: string; readonly hasCalls: boolean }[];
  readonly isStream: boolean;
  /** The names of the tools that the model may call. */
  readonly tools: readonly string[];
}

export interface ModelCall {
  readonly id: string;
  readonly name: string;
  readonly input: object;
}
