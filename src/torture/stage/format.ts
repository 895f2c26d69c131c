/** A format of the scripted model's requests and responses. One file each. */
export interface ModelFormat {
  readonly path: string;
  read(body: unknown): ModelRequest;
  /** The beginning of a stream. `hasText`: whether the response contains text. */
  begin(hasText: boolean): string;
  piece(text: string): string;
  end(calls: readonly ModelCall[], hasText: boolean): string;
  /** The response to a request without streaming. */
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
