//! Sets that are changed often.

/// A set whose members know their places, so that each is taken out at once.
#[derive(Default)]
pub(crate) struct Bag {
    pub(crate) members: Vec<u32>,
}

impl Bag {
    pub(crate) fn put(&mut self, member: u32, places: &mut [u32]) {
        places[member as usize] = self.members.len() as u32;
        self.members.push(member);
    }

    pub(crate) fn take(&mut self, member: u32, places: &mut [u32]) {
        let place = places[member as usize] as usize;
        self.members.swap_remove(place);
        if let Some(&moved) = self.members.get(place) {
            places[moved as usize] = place as u32;
        }
    }
}
