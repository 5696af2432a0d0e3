import { type Image, onDevice, sameContentStamp } from "../../mirror/files.ts";
import type { DocPath } from "../../mirror/path.ts";
import type { BaselineStore } from "../../store/baselines.ts";

/**
 * Returns the path of a file when its baseline was made, by the inode, which a move preserves. `image` is the file now.
 */
export function movedFrom(baselines: BaselineStore, image: Image): DocPath | undefined {
  const baseline = baselines.withInode(image.ino);
  if (baseline?.sha256 === undefined) return undefined;
  const isSame = sameContentStamp(onDevice(baseline.image, image.dev), image);
  return isSame ? (baseline.path as DocPath) : undefined;
}
