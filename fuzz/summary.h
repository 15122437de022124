// What a campaign says at its end, for people and as JSON.
#pragma once

#include <string>

#include "fuzz/campaign.h"

namespace seamfuzz {

// Several lines; the last is "run: 12000 cases, 30 findings, 3 distinct, 8 variants, 8123 cases/s".
std::string SummaryText(const CampaignOptions& options, const CampaignState& state);

// The same facts. A campaign that has not ended has `"seconds": 0`.
std::string CampaignJson(const CampaignOptions& options, const CampaignState& state);

}  // namespace seamfuzz
