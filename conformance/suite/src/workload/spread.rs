//! How choices are spread: alike, or most of them on few.

/// How choices among things in a row are spread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Spread {
    /// All alike.
    Uniform,
    /// The `k`th of them in proportion to `1 / k^s`, as real use often is: with `s` 1 and ten
    /// things, every third choice is the first.
    Zipf(f64),
}

/// Draws places in a row.
#[derive(Clone, Debug)]
pub(super) struct Sampler {
    /// The sum of the weights up to and with each place.
    sums: Vec<f64>,
}

impl Sampler {
    /// Draws places below `count`, which is at least 1.
    pub(super) fn new(spread: Spread, count: usize) -> Self {
        let mut sum = 0.0;
        let mut rank = 0.0;
        let sums = (0..count.max(1))
            .map(|_| {
                rank += 1.0;
                sum += match spread {
                    Spread::Uniform => 1.0,
                    Spread::Zipf(exponent) => f64::powf(rank, -exponent),
                };
                sum
            })
            .collect();
        Self { sums }
    }

    /// A place.
    pub(super) fn draw(&self, random: &mut fastrand::Rng) -> usize {
        let last = self.sums.len() - 1;
        let at = random.f64() * self.sums[last];
        self.sums.partition_point(|sum| *sum <= at).min(last)
    }

    /// So many different places, in the order drawn; all of them if there are no more.
    pub(super) fn several(&self, count: usize, random: &mut fastrand::Rng) -> Vec<usize> {
        let mut places = Vec::new();
        while places.len() < count.min(self.sums.len()) {
            let place = self.draw(random);
            if !places.contains(&place) {
                places.push(place);
            }
        }
        places
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(spread: Spread, places: usize, draws: usize) -> Vec<usize> {
        let sampler = Sampler::new(spread, places);
        let mut random = fastrand::Rng::with_seed(7);
        let mut counts = vec![0; places];
        for _ in 0..draws {
            counts[sampler.draw(&mut random)] += 1;
        }
        counts
    }

    #[test]
    fn uniform_draws_all_alike() {
        let counts = counts(Spread::Uniform, 10, 100_000);
        assert!(
            counts.iter().all(|count| (9_500..10_500).contains(count)),
            "{counts:?}"
        );
    }

    #[test]
    fn zipf_draws_in_proportion_to_the_rank() {
        // The weights 1, 1/2, 1/3 and 1/4 add up to 25/12.
        let counts = counts(Spread::Zipf(1.0), 4, 100_000);
        for (count, share) in counts.iter().zip([0.48, 0.24, 0.16, 0.12]) {
            let off = (f64::from(u32::try_from(*count).unwrap()) / 100_000.0 - share).abs();
            assert!(off < 0.01, "{counts:?}");
        }
    }

    #[test]
    fn several_are_different() {
        let sampler = Sampler::new(Spread::Zipf(2.0), 5);
        let mut random = fastrand::Rng::with_seed(1);
        let mut places = sampler.several(9, &mut random);
        places.sort_unstable();
        assert_eq!(places, [0, 1, 2, 3, 4]);
    }
}
