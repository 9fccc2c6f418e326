// SPDX-License-Identifier: Apache-2.0
// The list of variants.
#pragma once

#include "base/registry/variant.hpp"
#include "base/support/error.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// One configuration of one variant.
struct Selected {
  const Variant* variant = nullptr;
  std::size_t configuration = 0;

  [[nodiscard]] std::string full_name() const { return variant->full_name(configuration); }

  /// The variant as its family's class. Throws Error where it is another family's.
  template <class FamilyVariant>
  [[nodiscard]] const FamilyVariant& as() const {
    const auto* found = dynamic_cast<const FamilyVariant*>(variant);
    require(found != nullptr, "{}: expected a variant of the case's family", variant->full_name());
    return *found;
  }
};

/// Whether a pattern takes a configuration: a glob over "family/variant:configuration". Without ':'
/// it takes all configurations; without '/' it is the name of families or of variants: "acoustic",
/// "gmem:8x8x8".
[[nodiscard]] bool matches(std::string_view pattern, const Selected& selected);

/// Which tiles are meant: those that this build runs, or all that it can plan, for predictions.
enum class Tiles { built, planned };

/// A list of variants, each name once.
class Registry {
 public:
  /// Throws Error where family/name is there already.
  void add(std::unique_ptr<Variant> variant);

  [[nodiscard]] const std::vector<std::unique_ptr<Variant>>& variants() const { return variants_; }

  /// The variant "family/name", or the only one of that name alone; throws Error naming the
  /// families that have it, or the nearest name where none has.
  [[nodiscard]] const Variant& find(std::string_view full_name) const;

  /// Every configuration that matches() one of `patterns` and none of `exclude`. Among its
  /// matches a pattern takes those that run on machines of `kind`, if there are any: a family's
  /// name or a glob selects what can run, the name of a tile that tile. Throws Error for a
  /// pattern that matches nothing, naming the nearest name.
  [[nodiscard]] std::vector<Selected> select(const std::vector<std::string>& patterns,
                                             const std::vector<std::string>& exclude = {},
                                             std::optional<MachineKind> kind = {},
                                             Tiles tiles = Tiles::built) const;

 private:
  std::vector<std::unique_ptr<Variant>> variants_;
};

/// The first configuration whose plan for a region is supported: on a device hosts' tiles are among
/// them too. Throws Error where none is.
[[nodiscard]] Selected first_supported(const Variant& variant, const Region& region,
                                       const Problem& problem);

}  // namespace tessera
