// Loaded with `--require` in runs that measure CPU and memory: at exit it writes what the process used to descriptor 3.
// ms of user and system time, MB at the peak. Taken from inside, so that no tool outside Node is needed.
const fs = require('node:fs');

/** On Linux `maxRSS` starts from what the parent used when it forked, so the kernel's mark for this program is read instead. */
function peakMegabytes(used) {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(fs.readFileSync('/proc/self/status', 'utf8'))[1]) / 1024;
  } catch {
    return used.maxRSS / 1024;
  }
}

process.on('exit', () => {
  const used = process.resourceUsage();
  const report = { cpu: (used.userCPUTime + used.systemCPUTime) / 1000, memory: peakMegabytes(used) };
  try {
    fs.writeSync(3, JSON.stringify(report));
  } catch {
    // No reader: the process was not started by the benchmark.
  }
});
