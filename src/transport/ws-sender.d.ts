// The types of ws lack this public class.
declare module "ws" {
  export const Sender: {
    /** Returns the header and the data of a frame. */
    frame(
      data: Buffer,
      options: {
        readonly fin: boolean;
        readonly rsv1: boolean;
        readonly opcode: number;
        readonly mask: boolean;
        readonly readOnly: boolean;
      },
    ): readonly Buffer[];
  };
}

export {};
