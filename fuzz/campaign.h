// A campaign: a coordinator that hands out blocks of cases to worker processes and takes their
// answers in case order, so that what it says and writes is the same for any number of workers
// (design 9).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fuzz/statistics.h"
#include "fuzz/worker.h"

namespace seamfuzz {

struct CampaignOptions {
  CampaignConfig config;
  std::optional<uint64_t> cases;   // absent: until the time is over
  std::optional<int64_t> seconds;  // absent: until all cases are run
  int jobs = 1;
  std::string out;  // folder of the findings
};

// One kind of divergence as it is drawn, before minimizing: "sim.wrong.B1 B1 write=pointwise
// read=pointwise ...".
struct Bucket {
  std::string distinct;  // "sim.wrong.B1"
  int64_t appearances = 0;
  uint64_t first_case = 0;
  std::string
      signature;  // of its finding; empty while it is minimized and where it is only counted
};

struct FindingRecord {
  std::string distinct;
  std::string title;
  uint64_t first_case = 0;
};

// Everything that a campaign knows: what a ledger would have to keep.
struct CampaignState {
  uint64_t next_case = 0;  // all before it are counted
  Statistics statistics;
  int64_t findings = 0;                             // cases with a bad verdict
  std::map<std::string, Bucket> buckets;            // by key
  std::map<std::string, int> minimizations;         // by distinct
  std::map<std::string, FindingRecord> signatures;  // by signature; one folder each
  double seconds = 0;                               // wall time
  bool interrupted = false;
  std::optional<WrongScript> wrong_script;  // that ended it

  int Distinct() const;
  int Variants() const;  // signatures beyond the first of each distinct
};

// Called every few hundred milliseconds, and for each event ("finding sim.wrong.B1.5f0a93c2: ..."),
// which is then not empty.
using Progress = std::function<void(const CampaignState& state, const std::string& event)>;

// Runs it to its end: cases, time, or SIGINT and SIGTERM. The output folder must be ready. Errors:
// a finding that cannot be written.
Result<CampaignState> RunCampaign(const CampaignOptions& options, const Progress& progress);

// Where the case lies whose script ended a campaign.
inline constexpr std::string_view kWrongScriptFolder = "wrong-script";

// The name of the file that marks a campaign's folder.
inline constexpr std::string_view kCampaignFile = "campaign.json";

}  // namespace seamfuzz
