//! Which tier an operation belongs to, and which tiers a lack of it takes away.

use crate::scenario::Tier;
use crate::support::is_data;

impl Tier {
    /// The tier that an operation belongs to.
    #[must_use]
    pub fn of(operation: &str) -> Self {
        match operation {
            "CreateNamespace" | "ListNamespaces" | "DescribeNamespace" | "DropNamespace"
            | "DeclareTable" | "ListTables" | "DescribeTable" | "DeregisterTable" => Self::Basic,
            "CreateTableVersion"
            | "DescribeTableVersion"
            | "ListTableVersions"
            | "BatchDeleteTableVersions" => Self::Versions,
            "BatchCreateTableVersions" | "BatchCommitTables" => Self::Batch,
            "DescribeTransaction" | "AlterTransaction" => Self::Transactions,
            _ if is_data(operation) => Self::Data,
            _ if operation.contains("Branch") => Self::Branches,
            _ if operation.contains("Tag") => Self::Tags,
            _ => Self::Tables,
        }
    }

    /// Whether a server that lacks this operation lacks a part of the tier: it belongs to the tier, or to
    /// one that the tier cannot do without. There are no batches, branches or tags without versions.
    #[must_use]
    pub fn stands_on(self, operation: &str) -> bool {
        let of = Self::of(operation);
        of == self
            || of == Self::Basic
            || matches!(
                (self, of),
                (Self::Batch | Self::Branches | Self::Tags, Self::Versions)
            )
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use crate::protocol::operations;
    use crate::scenarios;

    #[test]
    fn every_operation_belongs_to_a_tier() {
        let mut tiers: BTreeMap<Tier, usize> = BTreeMap::new();
        for operation in operations().keys() {
            *tiers.entry(Tier::of(operation)).or_default() += 1;
        }
        let counts: Vec<usize> = Tier::ALL.iter().map(|tier| tiers[tier]).collect();
        assert_eq!(counts, [8, 6, 4, 2, 3, 5, 24, 2]);
    }

    #[test]
    fn each_tier_has_a_scenario_that_needs_nothing_of_others() {
        let own: BTreeSet<Tier> = scenarios::all()
            .map(|(_, scenario)| scenario)
            .filter(|scenario| {
                scenario
                    .needs
                    .iter()
                    .all(|need| scenario.tier.stands_on(need))
            })
            .map(|scenario| scenario.tier)
            .collect();
        assert_eq!(own, Tier::ALL.into_iter().collect());
    }

    #[test]
    fn a_tier_lacks_what_it_cannot_do_without() {
        assert!(Tier::Versions.stands_on("CreateTableVersion"));
        assert!(Tier::Tags.stands_on("CreateTableVersion"));
        assert!(!Tier::Versions.stands_on("RenameTable"));
        assert!(!Tier::Tags.stands_on("CreateTableBranch"));
    }
}
