/**
 * What a phase costs: its counts by the model machine; and, worked out again from what its threads do, its warps and their
 * requests.
 */
const lanesOfWarp = 32, banksOfMemory = 32, bytesOfBank = 4;

function countsOf(run, phase) {
  const warps = warpsOf(run, phase);
  const requests = warps.flatMap((warp) => warp.requests).filter((request) => run.arrays[request.array].shared);
  const { launch, block, steps, transfers } = phase;
  return {
    launch, block, steps, transfers, warps, requests,
    operations: phase.operations ?? phase.acts.filter((act) => act.what === "apply").length,
    barriers: phase.barrier ? 1 : 0,
    wavefronts: phase.shared.wavefronts,
    ideal: phase.shared.ideal,
    warpSteps: phase.warps.steps,
    divergent: phase.warps.divergent,
    lanes: phase.warps.active_lanes,
  };
}

/** The acts of each thread whose acts are listed. */
function threadsOf(phase) {
  const threads = Array.from({ length: phase.listed ?? phase.threads }, () => []);
  for (const act of phase.acts) threads[act.thread].push(act);
  return threads;
}

function warpsOf(run, phase) {
  const threads = threadsOf(phase), warps = [];
  for (let first = 0; first < threads.length; first += lanesOfWarp)
    warps.push(warpOf(run, warps.length, threads.slice(first, first + lanesOfWarp)));
  return warps;
}

/** `courses` has, for each lane, the number of the way that it goes, 0 the first; -1 if it does nothing. */
function warpOf(run, number, lanes) {
  const known = [];
  const courses = lanes.map((acts) => {
    if (acts.length === 0) return -1;
    const course = acts.map((act) => `${act.where} ${act.what}`).join();
    if (!known.includes(course)) known.push(course);
    return known.indexOf(course);
  });
  const active = courses.filter((course) => course >= 0).length;
  const divergent = active > 0 && (known.length > 1 || active < lanes.length);
  return { number, courses, active, divergent, requests: requestsOf(run, number, lanes) };
}

/** What lanes do at the same place for the same time, they do together: to one array, one request. */
function requestsOf(run, warp, lanes) {
  const requests = new Map();
  for (const acts of lanes) {
    const times = new Map();
    for (const act of acts) {
      if (act.array < 0 || !["read", "write", "atomic"].includes(act.what)) continue;
      const key = `${act.where} ${act.what}`, time = times.get(key) ?? 0;
      times.set(key, time + 1);
      const whole = `${key} ${time} ${act.array}`;
      if (!requests.has(whole)) requests.set(whole, { warp, what: act.what, array: act.array, where: act.where, acts: [] });
      requests.get(whole).acts.push(act);
    }
  }
  return [...requests.values()].map((request) => ({ ...request, ...passesOf(run.arrays[request.array], request) }));
}

/** Elements of 8 bytes are served a half of the warp at a time, of 16 and more a quarter. */
function passesOf(array, request) {
  const lanes = array.bytes <= bytesOfBank ? 32 : array.bytes <= 2 * bytesOfBank ? 16 : 8;
  const whole = Math.max(1, (array.bytes * lanes) / (banksOfMemory * bytesOfBank));
  const parts = new Map();
  for (const act of request.acts) {
    const part = Math.floor((act.thread % lanesOfWarp) / lanes);
    parts.set(part, [...(parts.get(part) ?? []), act]);
  }
  let wavefronts = 0, ideal = 0, degree = 0;
  for (const acts of parts.values()) {
    const most = Math.max(...banksOf(array, request.what, acts).map((words) => words.length));
    wavefronts += most;
    ideal += Math.min(most, whole);
    degree = Math.max(degree, most);
  }
  return { wavefronts, ideal, degree };
}

/**
 * For each bank the words that are wanted from it: {word, index, threads}; every array begins at bank 0. Lanes that want the
 * same word get it together, unless each is to change it.
 */
function banksOf(array, what, acts) {
  const banks = Array.from({ length: banksOfMemory }, () => []);
  for (const act of acts)
    for (let byte = 0; byte < array.bytes; byte += bytesOfBank) {
      const word = Math.floor((act.index * array.bytes + byte) / bytesOfBank);
      const bank = banks[word % banksOfMemory];
      const known = what === "atomic" ? undefined : bank.find((each) => each.word === word);
      if (known) known.threads.push(act.thread);
      else bank.push({ word, index: act.index, threads: [act.thread] });
    }
  return banks;
}
