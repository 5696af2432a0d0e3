declare module "pino-roll" {
  import type { SonicBoom } from "sonic-boom";
  /** Opens a log file that is put aside when it reaches a size. */
  export default function roll(options: {
    file: string;
    size: string;
    limit: { count: number };
    maxLength: number;
  }): Promise<SonicBoom>;
}
