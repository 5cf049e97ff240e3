// The video of a key: still colour bars, in a file of fixtures/videos for each size that clients can request.
//
// The files are one second of 24 frames each, made by
//   ffmpeg -f lavfi -i smptebars=size=1280x720:rate=24:duration=1 -c:v libx264 -profile:v baseline -pix_fmt yuv420p
//     -crf 35 -g 24 -x264-params threads=1:scenecut=0 -bsf:v filter_units=remove_types=6 -video_track_timescale 24
//     -movie_timescale 24 -movflags +faststart -use_editlist 0 -fflags +bitexact -metadata comment=(32 zeros)

import { fixturePath, readBytes } from '../../../core/files.js';
import type { FileRecipe } from '../files/address.js';

const frames = 24;
const emptyComment = '0'.repeat(32);

// The durations of the movie, its track, its media and each frame: the box, the offset in it, and the ticks of a second.
const durations = [
  ['mvhd', 20, frames],
  ['tkhd', 24, frames],
  ['mdhd', 20, frames],
  ['stts', 16, 1],
] as const;

/** The MP4 file of a video. Its comment is the key, so that the videos of two prompts differ. */
export function makeFilm({ key, width, height, seconds = 1 }: Omit<FileRecipe, 'kind'>): Buffer {
  const film = readBytes(fixturePath('videos', `${width}x${height}.mp4`));
  for (const [box, offset, ticks] of durations) film.writeUInt32BE(ticks * seconds, film.indexOf(box) + offset);
  film.write(key, film.indexOf(emptyComment), 'latin1');
  return film;
}
